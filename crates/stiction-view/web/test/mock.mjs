// A mock server: serves dist/ and implements the protocol with synthetic frames whose forces balance.
// node test/mock.mjs [port] [--recording]

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { WebSocketServer } from 'ws';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TOKEN = 'mock';
const G = 9.81;

/** Bytes of a frame (docs/frames.md). */
export function encodeFrame(frame) {
  const { bodies, joints, contacts, events } = frame;
  const impulses = (bodies.length + 1) * 48;
  const size =
    176 + bodies.length * 104 + impulses + joints.length * 72 + contacts.length * 192 + events.length * 48;
  const out = Buffer.alloc(size);
  let at = 0;
  const u32 = (...all) => all.forEach((v) => (at = out.writeUInt32LE(v >>> 0, at)));
  const u64 = (v) => (at = out.writeBigUInt64LE(BigInt(v), at));
  const f64 = (...all) => all.flat().forEach((v) => (at = out.writeDoubleLE(v, at)));
  u64(frame.index);
  f64(frame.time);
  u64(frame.hash ?? 0x1234abcdn);
  u32(bodies.length, joints.length, contacts.length, events.length, frame.problems, frame.certified ? 1 : 0);
  f64(frame.residual, frame.ledger);
  u32(0, 0);
  f64(frame.laws ?? [0, 0, 0, 0, 0, 0, 0]);
  for (const b of bodies) f64(b.position, b.rotation, b.velocity, b.angular);
  at += impulses;
  for (const j of joints) f64(j.force, j.torque, j.drive, j.coordinate, j.turn);
  for (const c of contacts) {
    u32(c.a, c.b);
    u64(c.feature);
    f64(
      c.point,
      c.normal,
      c.gap,
      c.normalForce,
      c.friction,
      c.normalImpulse ?? 0,
      c.frictionImpulse ?? [0, 0, 0],
      c.slip ?? [0, 0, 0],
      c.margin,
      c.muStatic,
      c.muDynamic,
    );
    u32(c.mode, c.uniqueness);
  }
  for (const e of events) {
    f64(e.time);
    u32(e.kind, e.joint ?? 0, e.a ?? 0xffffffff, e.b ?? 0xffffffff);
    u64(e.feature ?? 0);
    f64(e.numbers ?? [0, 0]);
  }
  return out;
}

/** A packed run: scene and frames, gzip. */
export function packRun(scene, frames) {
  const pieces = [Buffer.from(JSON.stringify(scene)), ...frames];
  const sized = pieces.flatMap((piece) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(piece.length);
    return [size, piece];
  });
  return gzipSync(Buffer.concat(sized));
}

const still = (position, rotation = [0, 0, 0, 1]) => ({
  position,
  rotation,
  velocity: [0, 0, 0],
  angular: [0, 0, 0],
});
const part = (shape, position = [0, 0, 0], rotation = [0, 0, 0, 1]) => ({ position, rotation, shape });
const about = (axis, angle) => [...axis.map((v) => v * Math.sin(angle / 2)), Math.cos(angle / 2)];
const identity = (k) => [
  [k, 0, 0],
  [0, k, 0],
  [0, 0, k],
];
const body = (name, mass, parts, more = {}) => ({
  name,
  motion: 'free',
  mass,
  inertia: identity(mass * 0.05),
  force: [0, 0, 0],
  torque: [0, 0, 0],
  parts,
  ...more,
});
const floor = (rotation) => ({
  name: 'floor',
  motion: 'fixed',
  mass: 0,
  inertia: identity(0),
  force: [0, 0, 0],
  torque: [0, 0, 0],
  parts: [part({ kind: 'half-space' }, [0, 0, 0], rotation)],
});
const scene = (title, figure, look_for, bodies, more = {}) => ({
  format: 'stiction-frames-2',
  title,
  look_for,
  figure,
  run: { until: 5, dt: 1 / 60, stepper: 'event-driven', solver: 'auto' },
  gravity: [0, 0, -G],
  plane: null,
  bodies,
  joints: [],
  springs: [],
  ...more,
});
const ledger = (kinetic, potential, friction = 0) => [
  kinetic,
  potential,
  0,
  friction,
  0,
  kinetic + potential + friction,
  kinetic + potential,
];
const contact = (a, b, feature, point, normal, normalForce, friction, mu, more = {}) => {
  const size = Math.hypot(...friction);
  const limit = mu * normalForce;
  return {
    a,
    b,
    feature,
    point,
    normal,
    gap: 0,
    normalForce,
    friction,
    margin: limit > 0 ? 1 - size / limit : NaN,
    muStatic: mu,
    muDynamic: 0.9 * mu,
    mode: 1,
    uniqueness: 1,
    ...more,
  };
};
const base = { joints: [], events: [], problems: 3, certified: true, residual: 3.1e-16 };

/** Crates on a shaking floor: n² bodies, 4n² contacts. */
function crates(n, title, figure) {
  const mass = 20;
  const half = [0.25, 0.25, 0.25];
  const spots = Array.from({ length: n * n }, (_, i) => [
    ((i % n) - (n - 1) / 2) * 0.8,
    (Math.floor(i / n) - (n - 1) / 2) * 0.8,
    half[2],
  ]);
  return {
    scene: scene(
      title,
      figure,
      'Friction changes direction with the shaking; crates at their friction limit slip.',
      [
        floor(),
        ...spots.map((_, i) =>
          body(`crate ${i + 1}`, mass, [part({ kind: 'box', half })], {
            inertia: identity((mass * (0.5 ** 2 + 0.5 ** 2)) / 12),
          }),
        ),
      ],
    ),
    frame(_, { gravity, friction }) {
      const g = -gravity[2];
      let kinetic = 0;
      const contacts = [];
      const bodies = [still([0, 0, 0])];
      spots.forEach(([x, y, z], i) => {
        const w = 4;
        const phase = 0.35 * i;
        const size = 0.02 + 0.006 * (i % 25);
        const dx = size * Math.sin(w * t + phase) - size * Math.sin(phase);
        const v = size * w * Math.cos(w * t + phase);
        const a = -size * w * w * Math.sin(w * t + phase);
        kinetic += 0.5 * mass * v * v;
        bodies.push({ ...still([x + dx, y, z]), velocity: [v, 0, 0] });
        // Four corners that carry the weight and prevent tipping.
        const tip = (mass * a * half[2]) / half[0] / 4;
        for (let k = 0; k < 4; k++) {
          const [sx, sy] = [k & 1 ? 1 : -1, k & 2 ? 1 : -1];
          const normal = (mass * g) / 4 + -sx * tip;
          const drag = [(mass * a * normal) / (mass * g || 1), 0, 0];
          const mu = 0.42 * friction;
          const slips = Math.abs(drag[0]) > 0.9 * mu * normal;
          contacts.push(
            contact(
              i + 1,
              0,
              BigInt(i * 8 + k),
              [x + dx + sx * half[0], y + sy * half[1], 0],
              [0, 0, 1],
              normal,
              drag,
              mu,
              slips ? { mode: 2, slip: [-v, 0, 0], margin: 0 } : { uniqueness: 2 },
            ),
          );
        }
      });
      return {
        ...base,
        bodies,
        contacts,
        problems: 4,
        ledger: ledger(kinetic, spots.length * mass * g * half[2], 3 * t),
      };
    },
  };
}

/** A block at rest on an incline. */
function incline() {
  const angle = 0.36;
  const tilt = about([0, 1, 0], angle);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const half = [0.4, 0.25, 0.2];
  const mass = 12;
  const along = [c, 0, -s];
  const normal = [s, 0, c];
  const at = (u, v, w) => [u * along[0] + w * normal[0], v, u * along[2] + w * normal[2]];
  return {
    scene: scene(
      'Block on an incline',
      'Mock, figure 2',
      'The block rests: friction is at 92 % of its limit.',
      [
        { ...floor(tilt), name: 'incline' },
        body('block', mass, [part({ kind: 'box', half })], {
          inertia: [
            [(mass * (0.25 ** 2 + 0.2 ** 2)) / 3, 0, 0],
            [0, (mass * (0.4 ** 2 + 0.2 ** 2)) / 3, 0],
            [0, 0, (mass * (0.4 ** 2 + 0.25 ** 2)) / 3],
          ],
        }),
      ],
    ),
    frame(_, { gravity, friction }) {
      const g = -gravity[2];
      const lean = (mass * g * s * half[2]) / half[0] / 4;
      const contacts = [];
      for (let k = 0; k < 4; k++) {
        const [sx, sy] = [k & 1 ? 1 : -1, k & 2 ? 1 : -1];
        const force = (mass * g * c) / 4 + sx * lean;
        const pull = -(mass * g * s * force) / (mass * g * c || 1);
        contacts.push(
          contact(
            1,
            0,
            BigInt(k),
            at(sx * half[0], sy * half[1], 0),
            normal,
            force,
            along.map((v) => v * pull),
            0.41 * friction,
            { uniqueness: 2 },
          ),
        );
      }
      return {
        ...base,
        bodies: [still([0, 0, 0]), still(at(0, 0, half[2]), tilt)],
        contacts,
        problems: 1,
        residual: 8.7e-17,
        ledger: ledger(0, mass * g * half[2] * c),
      };
    },
  };
}

/** A planar stack with a ball beside it. */
function planar() {
  const mass = 5;
  const half = [0.3, 0.3, 0.2];
  return {
    scene: scene(
      'Stack in the plane',
      'Mock, figure 3',
      'A planar scene, seen along the normal of its plane.',
      [
        floor(),
        body('low', mass, [part({ kind: 'box', half })]),
        body('high', mass, [part({ kind: 'box', half: [0.2, 0.3, 0.2] })]),
        body('ball', 2, [part({ kind: 'ball', radius: 0.25 })]),
      ],
      { plane: [0, 1, 0] },
    ),
    frame(t, { gravity }) {
      const g = -gravity[2];
      const roll = 0.9 + 0.4 * Math.sin(t);
      const contacts = [];
      [-1, 1].forEach((side, k) =>
        contacts.push(contact(1, 0, BigInt(k), [side * 0.3, 0, 0], [0, 0, 1], mass * g, [0, 0, 0], 0.5)),
      );
      [-1, 1].forEach((side, k) =>
        contacts.push(
          contact(2, 1, BigInt(k), [0.05 + side * 0.2, 0, 0.4], [0, 0, 1], (mass * g) / 2, [0, 0, 0], 0.5),
        ),
      );
      contacts.push(contact(3, 0, 9n, [roll, 0, 0], [0, 0, 1], 2 * g, [-0.8 * Math.sin(t), 0, 0], 0.5));
      const bodies = [
        still([0, 0, 0]),
        still([0, 0, 0.2]),
        still([0.05, 0, 0.6]),
        {
          ...still([roll, 0, 0.25], about([0, 1, 0], roll / 0.25)),
          velocity: [0.4 * Math.cos(t), 0, 0],
          angular: [0, 1.6 * Math.cos(t), 0],
        },
      ];
      return { ...base, bodies, contacts, ledger: ledger(0.1, 30) };
    },
  };
}

/** Every shape, a hinge and a spring; never certified. */
function zoo() {
  const tetra = {
    kind: 'triangles',
    points: [
      [0.3, 0, -0.15],
      [-0.2, 0.26, -0.15],
      [-0.2, -0.26, -0.15],
      [0, 0, 0.35],
    ],
    triangles: [
      [0, 2, 1],
      [0, 1, 3],
      [1, 2, 3],
      [2, 0, 3],
    ],
  };
  const shapes = [
    { kind: 'ball', radius: 0.3 },
    { kind: 'capsule', half_length: 0.25, radius: 0.15 },
    { kind: 'cylinder', half_length: 0.3, radius: 0.22 },
    { kind: 'cone', half_length: 0.3, radius: 0.28 },
    tetra,
  ];
  const heights = [0.3, 0.4, 0.3, 0.3, 0.15];
  const names = ['ball', 'capsule', 'cylinder', 'cone', 'tetrahedron'];
  return {
    scene: scene(
      'Every shape',
      'Mock, figure 4',
      'An answer that was not certified turns the badge red.',
      [
        floor(),
        ...shapes.map((shape, i) => body(names[i], 3, [part(shape)])),
        body('pendulum', 1, [part({ kind: 'box', half: [0.06, 0.06, 0.35] })]),
        body('hanging', 1, [part({ kind: 'box', half: [0.12, 0.12, 0.12] })]),
      ],
      {
        joints: [
          {
            name: 'pivot',
            kind: 'hinge',
            a: 6,
            b: null,
            frame_a: { position: [0, 0, 0.35], rotation: about([1, 0, 0], Math.PI / 2) },
            frame_b: { position: [-2.2, 0, 1.2], rotation: about([1, 0, 0], Math.PI / 2) },
          },
        ],
        springs: [
          {
            name: 'spring',
            a: 7,
            b: null,
            on_a: [0, 0, 0.12],
            on_b: [2.2, 0, 1.6],
            length: 0.6,
            stiffness: 40,
            damping: 0,
          },
        ],
      },
    ),
    frame(t, { gravity }) {
      const g = -gravity[2];
      const swing = 0.5 * Math.cos(3 * t);
      const bob = 0.1 * Math.cos(Math.sqrt(40) * t);
      const hang = 1.6 - 0.6 - g / 40 - 0.12 + bob;
      const bodies = [
        still([0, 0, 0]),
        ...shapes.map((_, i) => still([i * 0.8 - 1.6, 0, heights[i]], about([0, 0, 1], 0.4 * t))),
      ];
      bodies.push({
        ...still([-2.2 - 0.35 * Math.sin(swing), 0, 1.2 - 0.35 * Math.cos(swing)], about([0, 1, 0], swing)),
        angular: [0, -1.5 * Math.sin(3 * t), 0],
      });
      bodies.push({
        ...still([2.2, 0, hang]),
        velocity: [0, 0, -0.1 * Math.sqrt(40) * Math.sin(Math.sqrt(40) * t)],
      });
      const contacts = shapes.map((_, i) =>
        contact(i + 1, 0, BigInt(i), [i * 0.8 - 1.6, 0, 0], [0, 0, 1], 3 * g, [0, 0, 0], 0.4, {
          uniqueness: i % 4,
        }),
      );
      return {
        ...base,
        bodies,
        contacts,
        joints: [{ force: [0, 0, g], torque: [0, 0, 0], drive: 0, coordinate: swing, turn: swing }],
        certified: false,
        residual: 3.2e-7,
        events: [{ time: t, kind: 8, numbers: [3.2e-7, 0] }],
        ledger: ledger(1, 12),
      };
    },
  };
}

export const SCENES = {
  'mock/fig01_crates': crates(5, 'Crates on a shaking floor', 'Mock, figure 1'),
  'mock/fig02_incline': incline(),
  'mock/fig03_planar': planar(),
  'mock/fig04_zoo': zoo(),
  'mock/fig05_many': crates(15, 'Many crates', 'Mock, figure 5'),
};

/** The bytes of a recording of a scene. */
export function record(id, frames = 300) {
  const { scene: description, frame } = SCENES[id];
  const settings = { gravity: description.gravity, friction: 1 };
  return packRun(
    description,
    Array.from({ length: frames }, (_, index) =>
      encodeFrame({ index, time: index / 60, ...frame(index / 60, settings) }),
    ),
  );
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

export function startMock(port = 0, recording = null) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://mock');
    const respond = (status, type, data) => response.writeHead(status, { 'content-type': type }).end(data);
    const asset = url.pathname.startsWith('/assets/');
    if (!asset && url.searchParams.get('token') !== TOKEN) return respond(403, 'text/plain', 'no');
    if (url.pathname === '/scenes') {
      return respond(
        200,
        'application/json',
        JSON.stringify(
          Object.entries(SCENES).map(
            ([
              id,
              {
                scene: { title, figure, look_for, bodies },
              },
            ]) => ({ id, title, figure, look_for, bodies: bodies.length }),
          ),
        ),
      );
    }
    if (url.pathname === '/recording' && recording !== null)
      return respond(200, 'application/octet-stream', recording);
    if (url.pathname !== '/' && !asset) return respond(404, 'text/plain', 'no');
    const path = join(DIST, normalize(url.pathname === '/' ? 'index.html' : url.pathname));
    readFile(path).then(
      (data) => {
        response.setHeader(
          'content-security-policy',
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; connect-src 'self'",
        );
        respond(200, TYPES[extname(path)] ?? 'application/octet-stream', data);
      },
      () => respond(404, 'text/plain', 'no'),
    );
  });
  const sockets = new WebSocketServer({ server, path: '/live' });
  sockets.on('connection', (socket) => {
    let id = Object.keys(SCENES)[0];
    let index = 0;
    let time = 0;
    const status = {
      say: 'status',
      playing: true,
      speed: 1,
      stepper: 'event-driven',
      solver: 'auto',
      gravity: [0, 0, -G],
      friction: 1,
      real_time_factor: 12.4,
      step_ms: 1.34,
      solvers: ['auto', 'dantzig', 'lloyd-reduced', 'lloyd-structural'],
      steppers: ['event-driven', 'time-stepping', 'first-order'],
      live: true,
      pull: null,
    };
    const send = (message) => socket.send(JSON.stringify(message));
    const frame = () => socket.send(encodeFrame({ index, time, ...SCENES[id].frame(time, status) }));
    const open = () => {
      [index, time] = [0, 0];
      send({ say: 'scene', id, scene: SCENES[id].scene });
      send(status);
      frame();
    };
    open();
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const span = (now - last) / 1000;
      last = now;
      if (!status.playing) return;
      time += span * status.speed;
      index++;
      if (socket.bufferedAmount < 1 << 20) frame();
    }, 16);
    const beat = setInterval(() => send(status), 500);
    socket.on('close', () => [timer, beat].forEach(clearInterval));
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (process.env.MOCK_LOG) console.log(String(data));
      switch (message.do) {
        case 'play':
          status.playing = true;
          break;
        case 'pause':
          status.playing = false;
          break;
        case 'step':
          index++;
          time += 1 / 60;
          frame();
          break;
        case 'speed':
          status.speed = message.factor;
          break;
        case 'reset':
          [index, time] = [0, 0];
          frame();
          break;
        case 'scene':
          if (SCENES[message.id]) {
            id = message.id;
            open();
          } else send({ say: 'error', message: `no scene ${message.id}` });
          return;
        case 'stepper':
          status.stepper = message.name;
          break;
        case 'solver':
          status.solver = message.name;
          break;
        case 'gravity':
          status.gravity = message.value;
          frame();
          break;
        case 'friction':
          status.friction = message.factor;
          frame();
          break;
        case 'pull':
          status.pull = { body: message.body, on: message.on, to: message.to, kind: message.kind };
          break;
        case 'release':
          status.pull = null;
          break;
        default:
          send({ say: 'error', message: 'unknown command' });
      }
      send(status);
    });
  });
  return new Promise((done) => {
    server.listen(port, '127.0.0.1', () => {
      done({
        url: `http://127.0.0.1:${server.address().port}/?token=${TOKEN}`,
        close: () =>
          new Promise((closed) => {
            for (const one of sockets.clients) one.terminate();
            server.close(closed);
          }),
      });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const recording = process.argv.includes('--recording') ? record('mock/fig01_crates') : null;
  const { url } = await startMock(Number(process.argv[2]) || 8123, recording);
  console.log(url);
}
