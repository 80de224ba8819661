"""PPO of RLlib, on this machine or a Ray cluster, with the networks and the run of `agents.ppo`.

`modules` is who may sit in a seat, `selfplay` who sits there in which game, `learning` what RLlib
is told and how weights get in and out of it, `training` the run: its checkpoints, evaluations and
files are those of `agents.ppo`. Only `train.py --engine rllib` comes here, and it needs Ray.
"""
