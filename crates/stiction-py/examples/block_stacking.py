# %% [markdown]
# # Stacking blocks, for Gymnasium
#
# An environment whose reward is a certificate: a block is laid on the stack with some offset, and the reward is how far the stack can
# be tilted, as statics proves it. An episode ends when the stack cannot stand. Nothing is simulated, and nothing is approximated.

# %%
import gymnasium as gym
import numpy as np

import stiction as st


class BlockStacking(gym.Env):
    """Blocks of 0.2 × 0.1 × 0.1 m are laid one on the other; an action is the offset of the next (m, x and y)."""

    metadata = {"render_modes": []}

    def __init__(self, blocks=6, friction=0.6):
        self.most, self.friction = blocks, friction
        self.action_space = gym.spaces.Box(-0.12, 0.12, shape=(2,), dtype=np.float64)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, shape=(blocks, 2), dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.laid = np.zeros((0, 2))
        return self.observation(), {}

    def observation(self):
        rows = np.zeros((self.most, 2))
        rows[: len(self.laid)] = self.laid
        return rows

    def assembly(self):
        ground = {"name": "ground", "box": (4, 4, 0.1), "centre": (0, 0, -0.05), "fixed": True}
        blocks = [
            {"name": f"block {k}", "box": (0.2, 0.1, 0.1), "centre": (x, y, 0.1 * k + 0.05), "density": 600.0}
            for k, (x, y) in enumerate(self.laid)
        ]
        return st.Assembly([ground, *blocks], friction=self.friction, name="stack")

    def step(self, action):
        action = np.clip(np.asarray(action, dtype=np.float64), -0.12, 0.12)
        last = self.laid[-1] if len(self.laid) else np.zeros(2)
        self.laid = np.vstack([self.laid, last + action])
        assembly = self.assembly()
        verdict = st.stands(assembly, must=False, need_not=False)
        margins, reward = [], -1.0
        if verdict:
            directions = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
            margins = [assembly.tilt(direction) for direction in directions]
            reward = min(margin.value for margin in margins)
        # Whoever doubts the reward checks it: the certificate proves verdict and margins.
        info = {"verdict": verdict.name, "certificate": verdict.certificate(*margins)}
        return self.observation(), float(reward), not verdict, len(self.laid) == self.most, info


# %%
from gymnasium.utils.env_checker import check_env

check_env(BlockStacking(), skip_render_check=True)
env = BlockStacking()
for name, offset in [("straight", 0.0), ("leaning", 0.03), ("reckless", 0.08)]:
    env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        _, reward, falls, full, info = env.step([offset, 0.0])
        claims, _ = env.assembly().check(info["certificate"])
        assert claims > 0
        total, over = total + reward, falls or full
    print(f"{name}: {len(env.laid)} blocks, {info['verdict']}, return {total:.4f}")
