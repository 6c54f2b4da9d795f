// The stage: draws the bodies, the ground and the overlay, only when something changed.

import * as THREE from 'three';
import type { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Scene } from './frame';
import type { Model } from './model';
import { boundingRadius } from './shapes';
import { Solids } from './solids';
import { CameraRig } from './stage/camera';
import { DEFAULT_EXTENT, type Extent, measureExtent } from './stage/extent';
import { Ground } from './stage/ground';
import { Lights, TO_SUN } from './stage/lights';
import { FrameRate } from './stage/rate';
import { type Palette, currentTheme, palette } from './theme';
import type { Vec3 } from './vec';

// Colours are not converted to linear light: with software rendering the conversion costs more than everything else.
THREE.ColorManagement.enabled = false;

/** Lower pixel ratios, used when drawing is slow. */
const RATIOS = [1, 0.85];
/** Time (ms) after which an unchanged picture is drawn again at a higher resolution. */
const REFINE_AFTER = 250;

interface Layer {
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

function makeRenderer(antialias: boolean): THREE.WebGLRenderer {
  const renderer = new THREE.WebGLRenderer({ antialias, powerPreference: 'high-performance' });
  renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
  renderer.autoClear = false;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFShadowMap;
  return renderer;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  /** Drawn over the bodies and visible through them. */
  readonly overlay = new THREE.Scene();
  palette: Palette = palette(currentTheme());
  /** Software rendering: no antialiasing, no shadows between bodies. `?quality=high` turns this off. */
  readonly software: boolean;
  /** Pictures drawn so far. */
  total = 0;
  /** Draw at every animation frame, for a video. */
  continuous = false;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly rig: CameraRig;
  private readonly world = new THREE.Scene();
  private readonly lights = new Lights(this.world);
  private readonly ground = new Ground(this.world);
  private readonly shadowMaterial = new THREE.MeshBasicMaterial({ depthWrite: false });
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
  /** The palette of the current ground. */
  private groundPalette: Palette | null = null;
  private changed = true;
  private lastDraw = 0;
  /** The picture on screen has the higher resolution. */
  private refined = false;
  private ratio = Math.min(window.devicePixelRatio || 1, 2);

  constructor(
    private readonly holder: HTMLElement,
    private readonly model: Model,
  ) {
    this.software = rendersInSoftware() && new URLSearchParams(location.search).get('quality') !== 'high';
    this.renderer = makeRenderer(!this.software);
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

  /** Median radius of the free bodies. */
  get bodySize(): number {
    return this.extent.bodySize;
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
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.refined = false;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
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
    this.solids = new Solids(scene, this.software, TO_SUN, this.shadowMaterial);
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
    this.extent = measureExtent(this.model, this.radii);
    this.buildGround();
    // The same scene again, for example after a reconnection, keeps its view.
    const scene = `${this.model.sceneId}|${this.model.scene?.title ?? ''}`;
    if (this.fittedScene !== scene) this.fit(this.fittedScene !== '');
    this.fittedScene = scene;
  }

  private buildGround(): void {
    this.groundPalette = this.palette;
    this.ground.build(this.extent, this.plane(), this.palette, this.solids);
  }

  /** Normal of the plane of a planar scene. */
  private plane(): Vec3 | null {
    return this.model.scene?.plane ?? null;
  }

  /** Fits the view to the free bodies. */
  fit(smooth = true): void {
    this.extent = measureExtent(this.model, this.radii);
    this.rig.fit(this.extent, this.plane(), smooth);
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
    this.shadowMaterial.color.set(this.palette.shade);
    this.ground.paint(this.palette);
    if (!this.awaitsFrame && this.groundPalette !== this.palette) this.buildGround();
    // Software rendering is too slow for shadows between bodies.
    this.lights.paint(currentTheme() === 'dark', show.shadows && !this.software);
    if (this.solids !== null) this.paintSolids(this.solids);
    this.invalidate();
  }

  private paintSolids(solids: Solids): void {
    const { palette: colours, model } = this;
    const { show, selection } = model;
    let count = 0;
    const accent = new THREE.Color(colours.accent);
    const edges: THREE.Color[] = [];
    const faces = (model.scene?.bodies ?? []).map(({ motion }, i) => {
      const free = colours.bodies[count % colours.bodies.length]!;
      if (motion === 'free') count++;
      const colour = new THREE.Color(
        motion === 'fixed' ? colours.fixed : motion === 'driven' ? colours.driven : free,
      );
      const selected = selection?.kind === 'body' && selection.index === i;
      edges.push(selected ? accent : colour.clone().lerp(new THREE.Color(colours.edge), 0.72));
      return selected ? colour.lerp(accent, 0.45) : colour;
    });
    solids.paint(faces, edges);
    solids.setTransparent(show.xray);
    solids.edges.visible = show.edges;
    solids.shadows.visible = show.shadows && model.scene?.plane === null;
  }

  /** Moves the bodies to their poses in the frame. */
  private place(): void {
    const { frame, scene } = this.model;
    if (frame === null || scene === null || this.solids === null) return;
    this.ground.place(frame.bodies);
    if (!this.solids.place(frame.bodies)) return;
    this.solids.castShadows(this.ground.planes());
    this.lights.follow(scene, frame.bodies, this.extent);
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    if (this.rig.animate(now)) this.changed = true;
    this.controls.update();
    if (!this.changed && !this.continuous && !this.model.status?.playing) {
      if (!this.refined && now - this.lastDraw > REFINE_AFTER) this.refine();
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

  /** Draws an unchanged picture again at pixel ratio 2. */
  private refine(): void {
    this.refined = true;
    if (this.ratio >= 2) return;
    this.renderer.setPixelRatio(2);
    this.draw();
  }

  private lowerResolution(): void {
    const next = RATIOS.find((ratio) => ratio < this.ratio);
    if (next === undefined) return;
    this.ratio = next;
    this.resize();
  }

  private draw(): void {
    this.changed = false;
    this.place();
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
    this.draw();
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
  pickBody(x: number, y: number): { body: number; point: THREE.Vector3 } | null {
    if (this.solids === null) return null;
    const targets = [this.solids.mesh, ...this.ground.tops()];
    const hit = this.rig.raycaster(x, y).intersectObjects(targets, false)[0];
    if (hit === undefined) return null;
    const onSolid = hit.object === this.solids.mesh;
    const body = onSolid ? this.solids.bodyOf(hit.faceIndex ?? -1) : this.ground.bodyOf(hit.object);
    return { body, point: hit.point };
  }

  /** The contact nearest to a point of the page, at most `within` pixels away. */
  pickContact(x: number, y: number, within: number): string | null {
    let best: string | null = null;
    let least = within;
    for (const contact of this.model.frame?.contacts ?? []) {
      const at = this.project(contact.point);
      if (at === null) continue;
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < least) [best, least] = [contact.key, distance];
    }
    return best;
  }

  /** Pixels per metre at the target of the camera. */
  pixelsPerMetre(): number {
    return this.rig.pixelsPerMetre();
  }
}
