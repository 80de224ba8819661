"""A random agent in ten lines: a game against `greedy`, and the table at its end."""

import gymnasium as gym

env = gym.make("cribbage_env:Cribbage-v0", opponent="greedy", render_mode="ansi")
env.action_space.seed(1)
observation, info = env.reset(seed=1)
terminated = False
while not terminated:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
print(env.render())
print("won" if info["is_success"] else "lost", "by", abs(info["margin"]), "points")
