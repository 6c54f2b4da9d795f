// The stage: draws the bodies, the ground and the overlay, only when something changed.

import * as THREE from 'three';
import type { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Scene } from '../data/frame';
import type { Model } from '../data/model';
import type { Vec3 } from '../data/vec';
import { currentTheme, type Palette, palette } from '../page/theme';
import { CameraRig, type StandardView } from './camera';
import { DEFAULT_EXTENT, type Extent, measureExtent, shownBodies } from './extent';
import { Ground } from './ground';
import { Lights } from './lights';
import { bodyColours } from './paint';
import { type Hit, pickBody, pickContact } from './picking';
import { FrameRate } from './rate';
import { boundingRadius } from './shapes';
import { Solids } from './solids';

// Colours are not converted to linear light: with software rendering the conversion costs more than everything else.
THREE.ColorManagement.enabled = false;

/** Lower pixel ratios, used when drawing is slow. */
const RATIOS = [1, 0.85, 0.7, 0.5];
/** Time (ms) after which an unchanged picture is drawn again at a higher resolution. */
const REFINE_AFTER = 250;
/** Interval (ms) at which a followed scene is fitted again. */
const FOLLOW_INTERVAL = 400;

/** Surfaces whose normal rises by more than this are floors, which the camera stays above; others are walls. */
const FLOOR = 0.5;
/** Interval (ms) at which the extent of moving bodies is measured, for shadows and arrows. */
const MEASURE_INTERVAL = 200;

/** What is drawn besides the bodies: force arrows, and the parts of the page that follow the camera. */
export interface Layer {
  /** Updates what the layer draws; called before each picture. */
  update(stage: Stage): void;
}

/** Whether the browser renders WebGL in software. */
function rendersInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info === null ? '' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function makeRenderer(software: boolean): THREE.WebGLRenderer {
  const renderer = new THREE.WebGLRenderer({ antialias: !software, powerPreference: 'high-performance' });
  renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
  renderer.autoClear = false;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = software ? THREE.BasicShadowMap : THREE.PCFShadowMap;
  // The map is drawn when bodies have moved.
  renderer.shadowMap.autoUpdate = false;
  return renderer;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly rig: CameraRig;
  /** Drawn over the bodies and visible through them. */
  readonly overlay = new THREE.Scene();
  palette: Palette = palette(currentTheme());
  /** Software rendering: no antialiasing while the picture moves. `?quality=high` turns this off. */
  readonly software: boolean;
  /** Pictures drawn so far. */
  total = 0;
  /** Draw at every animation frame, for a video. */
  continuous = false;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly world = new THREE.Scene();
  private readonly lights: Lights;
  private readonly ground = new Ground(this.world);
  private readonly layers: Layer[] = [];
  private readonly rate = new FrameRate();
  private solids: Solids | null = null;
  /** Bounding radius of every body about its centre of mass; 0 if it has only half-spaces. */
  private radii: number[] = [];
  private extent: Extent = DEFAULT_EXTENT;
  /** A scene was built, but its first frame has not arrived. */
  private awaitsFrame = true;
  /** The scene that the view was fitted to. */
  private fittedScene = '';
  private changed = true;
  private lastDraw = 0;
  private lastFollow = 0;
  private lastMeasure = 0;
  /** Where the followed body was. */
  private followed: { body: number; at: THREE.Vector3 } | null = null;
  /** Bodies have moved since the shadow map was drawn. */
  private shadowsAreOld = true;
  /** The picture on screen has the higher resolution. */
  private refined = false;
  private ratio = Math.min(window.devicePixelRatio || 1, 2);

  constructor(
    private readonly holder: HTMLElement,
    private readonly model: Model,
  ) {
    this.software = rendersInSoftware() && new URLSearchParams(location.search).get('quality') !== 'high';
    this.renderer = makeRenderer(this.software);
    this.lights = new Lights(this.world, this.software);
    if (this.software) this.ratio = Math.min(1, this.ratio);
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute(
      'aria-label',
      'Three-dimensional view of the scene. Up and Down select bodies and contacts, Shift with arrow keys turns the view, Plus and Minus zoom.',
    );
    holder.prepend(this.canvas);
    this.rig = new CameraRig(this.canvas, holder, () => this.invalidate());
    this.overlay.matrixWorldAutoUpdate = true;

    model.on('scene', (scene) => this.build(scene));
    model.on('frame', () => {
      if (this.awaitsFrame) this.showFirstFrame();
      this.invalidate();
    });
    model.on('selection', () => this.paint());
    model.on('show', () => this.paint());
    model.on('theme', (theme) => {
      this.palette = palette(theme);
      this.paint();
    });
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
    requestAnimationFrame(this.tick);
  }

  get camera(): THREE.PerspectiveCamera {
    return this.rig.camera;
  }

  get controls(): OrbitControls {
    return this.rig.controls;
  }

  get pixelRatio(): number {
    return this.renderer.getPixelRatio();
  }

  /** Width and height of the picture (CSS pixels). */
  size(): { width: number; height: number } {
    return { width: this.holder.clientWidth, height: this.holder.clientHeight };
  }

  /** Median radius of the free bodies. */
  get bodySize(): number {
    return this.extent.bodySize;
  }

  /** Bounding radius of a body; 0 if it has only half-spaces. */
  radiusOf(body: number): number {
    return this.radii[body] ?? 0;
  }

  /** Distance between grid lines (m). */
  get cell(): number {
    return this.extent.cell;
  }

  addLayer(layer: Layer): void {
    this.layers.push(layer);
  }

  /** Requests a new picture. */
  invalidate(): void {
    this.changed = true;
  }

  /** Pictures per second, measured over the last second of drawing. */
  fps(): number {
    return this.rate.current;
  }

  private resize(): void {
    const { width, height } = this.size();
    if (width === 0 || height === 0) return;
    this.refined = false;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.rig.updateProjection();
    if (this.rig.fitted) this.fit(false);
    this.invalidate();
  }

  private build(scene: Scene): void {
    this.ground.clear();
    if (this.solids !== null) {
      this.world.remove(this.solids.group);
      this.solids.dispose();
    }
    this.awaitsFrame = true;
    this.followed = null;
    this.solids = new Solids(scene);
    this.world.add(this.solids.group);
    this.radii = scene.bodies.map((body, index) => {
      let radius = 0;
      for (const part of body.parts) {
        if (part.shape.kind === 'half-space') this.ground.add(index, part);
        else radius = Math.max(radius, Math.hypot(...part.position) + boundingRadius(part.shape));
      }
      return radius;
    });
    this.paint();
  }

  /** Sets up what depends on the positions of the bodies: extent, ground and view. */
  private showFirstFrame(): void {
    this.awaitsFrame = false;
    this.place();
    this.extent = measureExtent(this.model, this.radii, this.solids);
    this.ground.build(this.extent, this.plane());
    // The same scene again, for example after a reconnection, keeps its view.
    const scene = `${this.model.sceneId}|${this.model.scene?.title ?? ''}`;
    if (this.fittedScene !== scene) this.view('angled', this.fittedScene !== '');
    this.fittedScene = scene;
  }

  /** Normal of the plane of a planar scene. */
  private plane(): Vec3 | null {
    return this.model.scene?.plane ?? null;
  }

  /** Looks from a standard direction at the bodies. */
  view(name: StandardView, smooth = true): void {
    this.paintProjection();
    this.rig.look(name, this.plane());
    this.fit(smooth, false);
  }

  /** Fits the view to the bodies; `turned` keeps its direction. */
  fit(smooth = true, turned = true): void {
    this.extent = measureExtent(this.model, this.radii, this.solids);
    if (this.solids !== null)
      this.rig.fit(this.solids.corners(shownBodies(this.model, this.radii)), smooth, turned);
  }

  /** Turns the view by angles (rad) and zooms by a factor. */
  turn(azimuth: number, height: number, zoom = 1): void {
    this.rig.turn(azimuth, height, zoom);
  }

  /** Shifts the view by fractions of the height of the stage. */
  shift(right: number, up: number): void {
    this.rig.shift(right, up);
  }

  /** Applies theme, selection and display options. */
  private paint(): void {
    const { show } = this.model;
    this.world.background = new THREE.Color(this.palette.background);
    this.ground.paint(this.palette);
    this.lights.paint(currentTheme() === 'dark', show.shadows && this.plane() === null);
    this.renderer.shadowMap.needsUpdate = true;
    this.paintProjection();
    this.paintSolids();
    this.invalidate();
  }

  private paintProjection(): void {
    const wanted = this.model.show.orthographic ?? this.plane() !== null;
    if (this.rig.orthographic !== wanted) this.rig.orthographic = wanted;
  }

  private paintSolids(): void {
    const { solids, model } = this;
    if (solids === null) return;
    const { faces, edges } = bodyColours(model, this.palette);
    solids.paint(faces, edges);
    solids.setTransparent(model.show.xray);
    solids.edges.visible = model.show.edges;
  }

  /** Moves the bodies to their poses in the frame. */
  private place(): void {
    const { frame, scene } = this.model;
    if (frame === null || scene === null || this.solids === null) return;
    this.ground.place(frame.bodies);
    const floors = this.ground.planes().filter(({ normal }) => normal.z > FLOOR);
    this.rig.planes = this.plane() === null ? floors : [];
    this.paintSolids();
    if (!this.solids.place(frame.bodies)) return;
    const now = performance.now();
    if (now - this.lastMeasure > MEASURE_INTERVAL) {
      this.lastMeasure = now;
      this.extent = measureExtent(this.model, this.radii, this.solids);
    }
    this.lights.follow(this.extent);
    this.shadowsAreOld = true;
  }

  /** Keeps the selected body where it is on the screen; without one, all bodies in the picture. */
  private follow(now: number): void {
    const { selection, frame, show } = this.model;
    if (!show.follow || frame === null) {
      this.followed = null;
      return;
    }
    if (selection?.kind !== 'body') {
      if (now - this.lastFollow < FOLLOW_INTERVAL) return;
      this.lastFollow = now;
      this.fit();
      return;
    }
    const at = new THREE.Vector3(...frame.bodies[selection.index]!.position);
    if (this.followed?.body === selection.index && at.distanceToSquared(this.followed.at) > 0) {
      this.rig.follow(at.clone().sub(this.followed.at));
      this.invalidate();
    }
    this.followed = { body: selection.index, at };
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    this.follow(now);
    if (this.rig.update(now)) this.changed = true;
    if (!this.changed && !this.continuous) {
      // A run whose frames come slowly is not still.
      const { status } = this.model;
      const still = !status?.playing && !status?.pull;
      if (still && !this.refined && now - this.lastDraw > REFINE_AFTER) this.refine();
      return;
    }
    if (this.refined) {
      this.refined = false;
      this.renderer.setPixelRatio(this.ratio);
    }
    this.lastDraw = now;
    this.draw();
    this.total++;
    if (this.rate.record(now)) this.lowerResolution();
  };

  /** Draws the shadow map if bodies have moved; with software rendering in every second picture only. */
  private updateShadows(still: boolean): void {
    if (!this.shadowsAreOld || (this.software && !still && this.total % 2 === 1)) return;
    this.shadowsAreOld = false;
    this.renderer.shadowMap.needsUpdate = true;
  }

  /** Draws an unchanged picture again at pixel ratio 2. */
  private refine(): void {
    this.refined = true;
    if (this.ratio >= 2) return;
    this.renderer.setPixelRatio(2);
    this.draw(true);
  }

  private lowerResolution(): void {
    const next = RATIOS.find((ratio) => ratio < this.ratio);
    if (next === undefined) return;
    this.ratio = next;
    this.resize();
  }

  private draw(still = false): void {
    this.changed = false;
    this.place();
    this.lights.soften(still);
    this.updateShadows(still);
    this.camera.updateMatrixWorld();
    for (const layer of this.layers) layer.update(this);
    this.renderer.clear();
    this.renderer.render(this.world, this.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.overlay, this.camera);
  }

  /** A PNG of the current view at pixel ratio 2. */
  async picture(): Promise<Blob | null> {
    this.renderer.setPixelRatio(2);
    this.draw(true);
    const blob = await new Promise<Blob | null>((done) => {
      this.canvas.toBlob(done, 'image/png');
    });
    this.refined = true;
    this.invalidate();
    return blob;
  }

  /** Position of a world point on the page, in pixels; null if it is outside the depth range. */
  project(point: Vec3): { x: number; y: number } | null {
    return this.rig.project(point);
  }

  /** The ray through a point of the page. */
  ray(x: number, y: number): THREE.Ray {
    return this.rig.raycaster(x, y).ray;
  }

  /** The body under a point of the page, and the point of its surface. */
  pickBody(x: number, y: number): Hit | null {
    return pickBody(this.rig, this.solids, this.ground, x, y);
  }

  /** The contact nearest to a point of the page, at most `within` pixels away. */
  pickContact(x: number, y: number, within: number): string | null {
    return pickContact(this.rig, this.model, x, y, within);
  }

  /** Pixels per metre at the target of the camera, or at the depth of a point. */
  pixelsPerMetre(point?: THREE.Vector3): number {
    return this.rig.pixelsPerMetre(point);
  }
}
