"""MaskablePPO with a policy that scores candidates.

`config` is the configuration and the command line, `network` the policy, `training` the run,
`callbacks` what happens besides learning, `checkpoint` what is kept to go on from, and `export` the
plain arrays that ``ppo:PATH`` plays. Nothing here is imported by `cribbage_env`.
"""
