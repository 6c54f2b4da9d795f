// Generated from crates/stiction-view/src/message.rs, its folder and command.rs; not edited by hand.
// STICTION_WRITE=1 cargo test --release -p stiction-view --lib the_types_of_the_page

export type Command = { "do": "play" } | { "do": "pause" } | { "do": "step" } | { "do": "speed", factor: number, } | { "do": "reset" } | { "do": "rewind", index: number, } | { "do": "scene", id: string, } | { "do": "load", name: string, text: string, } | { "do": "stepper", name: string, } | { "do": "solver", name: string, } | { "do": "gravity", value: [number, number, number], } | { "do": "friction", factor: number, } | { "do": "pull" } & Pull | { "do": "release" };
export type Pull = { 
/**
 * Index of the body.
 */
body: number, 
/**
 * Point on the body, body frame (m).
 */
on: [number, number, number], 
/**
 * Position of the mouse in the world (m).
 */
to: [number, number, number], 
/**
 * Force or torque.
 */
kind: PullKind, };
export type PullKind = "force" | "torque";
export type Message = { "say": "scene", id: string, scene: SceneDescription, } | { "say": "status" } & Status | { "say": "error", message: string, };
export type Status = { playing: boolean, 
/**
 * Simulated seconds per second.
 */
speed: number, stepper: string, solver: string, 
/**
 * Gravity (m/s²).
 */
gravity: [number, number, number], 
/**
 * Factor of all friction coefficients.
 */
friction: number, 
/**
 * Simulated seconds per second in the last half second; null if no step ended.
 */
real_time_factor: number | null, 
/**
 * Mean computing time of a step (ms) in the last half second; null if no step ended.
 */
step_ms: number | null, 
/**
 * How long the present step has been computed (ms), from a tenth of a second on.
 */
computing_ms: number | null, 
/**
 * Number of the oldest frame that the run can return to.
 */
oldest: number, solvers: Array<string>, steppers: Array<string>, live: boolean, pull: PullStatus | null, };
export type PullStatus = { 
/**
 * Index of the body.
 */
body: number, 
/**
 * Point on the body, body frame (m).
 */
on: [number, number, number], 
/**
 * Position of the mouse in the world (m).
 */
to: [number, number, number], kind: PullKind, 
/**
 * Force on the body (N), world axes.
 */
force: [number, number, number], 
/**
 * Torque on the body about its centre of mass (N·m), world axes.
 */
torque: [number, number, number], };
export type SceneEntry = { id: string, title: string, figure: string, look_for: string, 
/**
 * Number of bodies.
 */
bodies: number, };
export type SceneDescription = { format: string, title: string, look_for: string, figure: string, 
/**
 * Bodies that overlapped and were moved apart before the run; empty if none.
 */
separated: string, run: RunInfo, gravity: [number, number, number], 
/**
 * Normal of the plane of a planar scene.
 */
plane: [number, number, number] | null, bodies: Array<BodyInfo>, joints: Array<JointInfo>, springs: Array<SpringInfo>, };
export type RunInfo = { until: number, dt: number, stepper: string, solver: string, };
export type BodyInfo = { name: string, motion: Motion, 
/**
 * Mass (kg); null if infinite.
 */
mass: number | null, 
/**
 * In the body frame (kg·m²).
 */
inertia: [[number, number, number], [number, number, number], [number, number, number]], 
/**
 * Applied force (N) and torque (N·m), world axes.
 */
force: [number, number, number], torque: [number, number, number], 
/**
 * Levels of the body, counted from 1; bodies without a common level do not touch.
 */
levels: Array<number>, parts: Array<PartInfo>, };
export type Motion = "free" | "fixed" | "driven";
export type PartInfo = { position: [number, number, number], rotation: [number, number, number, number], shape: ShapeInfo, };
export type Placement = { position: [number, number, number], rotation: [number, number, number, number], };
export type ShapeInfo = { "kind": "box", half: [number, number, number], } | { "kind": "ball", radius: number, } | { "kind": "capsule", half_length: number, radius: number, } | { "kind": "cylinder", half_length: number, radius: number, } | { "kind": "cone", half_length: number, radius: number, } | { "kind": "half-space" } | { "kind": "triangles", points: Array<[number, number, number]>, triangles: Array<[number, number, number]>, };
export type JointInfo = { name: string, kind: string, a: number, b: number | null, frame_a: Placement, frame_b: Placement, };
export type SpringInfo = { name: string, a: number, b: number | null, on_a: [number, number, number], on_b: [number, number, number], length: number, stiffness: number, damping: number, };
