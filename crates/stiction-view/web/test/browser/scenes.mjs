// Scenes of the checks as texts.

/** A wall of bricks in running bond: `wide` bricks in a row, `high` rows. */
export function wall(wide, high) {
  const row = (name, odd) => `[[body]]
name = "${name}"
box = [0.25, 0.12, 0.065]
at = [${odd ? 0.125 : 0}, 0, ${odd ? 0.0975 : 0.0325}]
density = 1800
repeat = [{ count = ${wide}, step = [0.25, 0, 0] }, { count = ${high / 2}, step = [0, 0, 0.13] }]
`;
  return `title = "Wall of ${wide * high} bricks"
[run]
dt = 0.01
stepper = "time-stepping"
[[body]]
name = "ground"
ground = true
${row('even', false)}${row('odd', true)}`;
}

/** Layers of bricks, each resting on four of the layer below: 300 bricks, more than 3000 contacts. */
export const BLOCK = `title = "Block of 300 bricks"
[run]
dt = 0.01
until = 0.05
stepper = "time-stepping"
[[body]]
name = "ground"
ground = true
[[body]]
name = "even"
box = [0.2, 0.2, 0.1]
at = [0, 0, 0.05]
density = 1800
repeat = [{ count = 6, step = [0.2, 0, 0] }, { count = 5, step = [0, 0.2, 0] }, { count = 5, step = [0, 0, 0.2] }]
[[body]]
name = "odd"
box = [0.2, 0.2, 0.1]
at = [0.1, 0.1, 0.15]
density = 1800
repeat = [{ count = 6, step = [0.2, 0, 0] }, { count = 5, step = [0, 0.2, 0] }, { count = 5, step = [0, 0, 0.2] }]
`;

/** An arch of voussoirs. */
export function arch(count = 15, inner = 2, outer = 2.5) {
  const at = (radius, k) => {
    const angle = (Math.PI * k) / count;
    return `[${(radius * Math.cos(angle)).toFixed(9)}, ${(radius * Math.sin(angle)).toFixed(9)}]`;
  };
  const bodies = Array.from(
    { length: count },
    (_, k) => `[[body]]
name = "voussoir.${k}"
polygon = [${at(outer, k)}, ${at(outer, k + 1)}, ${at(inner, k + 1)}, ${at(inner, k)}]
depth = 0.6
density = 2200
`,
  );
  return `title = "Arch of ${count} voussoirs"
[run]
dt = 0.01
stepper = "time-stepping"
[[material]]
name = "default"
friction = 0.7
[[body]]
name = "ground"
ground = true
${bodies.join('')}`;
}

/** Five blocks on each other. */
export const STACK = `title = "Stack of five blocks"
[run]
dt = 0.01
[[body]]
name = "ground"
ground = true
[[body]]
name = "block"
box = [0.4, 0.4, 0.2]
at = [0, 0, 0.1]
density = 500
repeat = { count = 5, step = [0, 0, 0.2] }
`;

/** A table whose plane is tilted by 15 degrees. */
export const TILTED = `title = "A table on a tilted plane"
overlap = "allow"
[run]
dt = 0.01
stepper = "time-stepping"
[[body]]
name = "plane"
ground = true
turn_deg = { axis = [0, 1, 0], angle = 15 }
[[body]]
name = "table"
turn_deg = { axis = [0, 1, 0], angle = 15 }
density = 600
parts = [
  { box = [1.2, 0.8, 0.04], at = [0, 0, 0.72] },
  { box = [0.06, 0.06, 0.7], at = [0.5, 0.3, 0.35] },
  { box = [0.06, 0.06, 0.7], at = [0.5, -0.3, 0.35] },
  { box = [0.06, 0.06, 0.7], at = [-0.5, 0.3, 0.35] },
  { box = [0.06, 0.06, 0.7], at = [-0.5, -0.3, 0.35] },
]
`;

/** A ball that falls and touches nothing. */
export const FALL = `title = "A falling ball"
[run]
dt = 0.01
[[body]]
name = "ball"
ball = 0.1
at = [0, 0, 5]
mass = 1
`;

/** Boxes and balls that fall onto a pile; deterministic. */
export function pile(count) {
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  const bodies = Array.from({ length: count }, (_, i) => {
    const at = [0.6 * random() - 0.3, 0.6 * random() - 0.3, 0.3 + 0.28 * i];
    const shape =
      i % 2 === 0
        ? `box = [${[0, 1, 2].map(() => (0.14 + 0.05 * random()).toFixed(3)).join(', ')}]`
        : `ball = ${(0.07 + 0.02 * random()).toFixed(3)}`;
    return `[[body]]
name = "body.${i}"
${shape}
at = [${at.map((x) => x.toFixed(4)).join(', ')}]
density = 1000
`;
  });
  return `title = "Pile of ${count}"
[run]
dt = 0.01
stepper = "time-stepping"
[[body]]
name = "ground"
ground = true
${bodies.join('')}`;
}

/** A figure of capsules with thirty ball joints: a spine, two arms, two legs. */
export function ragdoll() {
  const bodies = [];
  const joints = [];
  /** A chain of links from a point along a direction, hung on a body. */
  const chain = (name, from, along, count, parent) => {
    let last = parent;
    for (let i = 0; i < count; i++) {
      const at = along.map((x, k) => from[k] + (i + 0.5) * x);
      const length = Math.hypot(...along);
      const axis = Math.abs(along[2]) > 0 ? '' : 'turn_deg = { axis = [0, 1, 0], angle = 90 }\n';
      bodies.push(`[[body]]
name = "${name}.${i}"
capsule = { radius = 0.03, length = ${(0.6 * length).toFixed(4)} }
at = [${at.map((x) => x.toFixed(4)).join(', ')}]
${axis}density = 1000
`);
      if (last !== null)
        joints.push(`[[joint]]
name = "${name}.${i}"
type = "ball"
a = "${name}.${i}"
b = "${last}"
anchor = [${along.map((x, k) => (from[k] + i * x).toFixed(4)).join(', ')}]
`);
      last = `${name}.${i}`;
    }
  };
  chain('spine', [0, 0, 2.2], [0, 0, -0.12], 7, null);
  chain('left arm', [-0.12, 0, 2.1], [-0.12, 0, 0], 6, 'spine.0');
  chain('right arm', [0.12, 0, 2.1], [0.12, 0, 0], 6, 'spine.0');
  chain('left leg', [-0.1, 0, 1.3], [0, 0, -0.12], 6, 'spine.6');
  chain('right leg', [0.1, 0, 1.3], [0, 0, -0.12], 6, 'spine.6');
  return `title = "A figure with ${joints.length} joints"
[run]
dt = 0.01
stepper = "time-stepping"
[[body]]
name = "ground"
ground = true
${bodies.join('')}${joints.join('')}`;
}
