"""Play against any player in a terminal or a browser, with a coach: `python -m cribbage_env.play`.

`session` holds a game between a person and a player, `saves` keeps it in a file, `coach` says what
each choice is worth and tells luck from skill, `words` puts that into text; none of them needs
Textual. The screen stands in `app`, `widgets` and `dialogs`.
"""
