"""MaskablePPO with a policy that scores candidates.

`config` is the configuration and the command line, `candidates` the networks, `network` the policy
of stable-baselines3 that they make, `training` the run. Games come from `environment` or, deal by
deal and with the learner in both seats, from `selfplay`, which `deals` learns from. `callbacks` is
what happens besides learning, `stopping` how it ends early, `clock` where the time goes,
`evaluation` how strong the player is, `runs` and `checkpoint` what is kept to go on from, `export`
the plain arrays that ``ppo:PATH`` plays, and `report` (`curves`, `page`) the story of a run.
Nothing here is imported by `cribbage_env`.
"""
