// The stage: bodies in light and shadow, the ground, the camera; draws only when something changed.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Scene } from './frame';
import type { Model } from './model';
import { type Solid, disc, gridLines, makeSolid, reach } from './shapes';
import { type Palette, currentTheme, palette } from './theme';
import type { Vec3 } from './vec';

// Colours are used as they are written: turning each pixel to linear light and back costs more than all else in software.
THREE.ColorManagement.enabled = false;

/** More parts than this are drawn without edges. */
const EDGED = 400;
/** Pixel ratios to fall back to where drawing is slow. */
const RATIOS = [1, 0.8, 0.65];

interface Layer {
  /** Brings what it draws up to date. */
  update(stage: Stage): void;
}

interface BodyView {
  group: THREE.Group;
  material: THREE.MeshLambertMaterial;
  edges: THREE.LineBasicMaterial;
  /** Radius about the centre of mass; 0 where it has only half-spaces. */
  radius: number;
}

/** Whether WebGL is drawn by the processor. */
function drawnInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info === null ? '' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** Drawn over the bodies, visible through them. */
  readonly overlay = new THREE.Scene();
  palette: Palette = palette(currentTheme());
  /** Radius of what the camera was fitted to. */
  size = 1;
  /** Distance between grid lines (m). */
  cell = 1;
  readonly software: boolean;
  private readonly world = new THREE.Scene();
  private readonly renderer: THREE.WebGLRenderer;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.7);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8c0ca, 1.9);
  // Flat colours, a little behind what lies on them.
  private readonly groundMaterial = new THREE.MeshBasicMaterial({ vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });
  private readonly cutMaterial = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide });
  private readonly gridMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private readonly shadeMaterial = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, depthWrite: false });
  private grounds: THREE.Object3D[] = [];
  private readonly shades = new THREE.Group();
  private readonly caster = new THREE.Raycaster();
  private readonly layers: Layer[] = [];
  private bodies: BodyView[] = [];
  private solids: THREE.Mesh[] = [];
  private centre = new THREE.Vector3();
  private fitted = '';
  private painted: Palette | null = null;
  private changed = true;
  private flight: { from: THREE.Vector3[]; to: THREE.Vector3[]; start: number; span: number } | null = null;
  private readonly drawn: number[] = [];
  private lastRate = 0;
  private slowSince = 0;
  private ratio = Math.min(window.devicePixelRatio || 1, 2);
  /** Frames drawn so far. */
  total = 0;
  /** Draw on every tick, as for a video. */
  continuous = false;

  constructor(
    private readonly holder: HTMLElement,
    private readonly model: Model,
  ) {
    this.software = drawnInSoftware();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, powerPreference: 'high-performance' });
    if (this.software) this.ratio = Math.min(1, this.ratio);
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.autoClear = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute(
      'aria-label',
      'Three-dimensional view of the scene. Up and down go through bodies and contacts, shift and arrows turn the view, plus and minus zoom.',
    );
    holder.prepend(this.canvas);

    this.camera.up.set(0, 0, 1);
    this.camera.position.set(4, -6, 3);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => (this.flight = null));

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.normalBias = 0.01;
    this.world.add(this.sun, this.sun.target, this.sky, this.shades);
    this.overlay.matrixWorldAutoUpdate = true;

    model.on('scene', (scene) => this.build(scene));
    model.on('frame', () => {
      if (this.fitted !== this.key()) this.firstFrame();
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

  get pixelRatio(): number {
    return this.renderer.getPixelRatio();
  }

  addLayer(layer: Layer): void {
    this.layers.push(layer);
  }

  invalidate(): void {
    this.changed = true;
  }

  /** Frames drawn in the last second of drawing. */
  fps(): number {
    return this.lastRate;
  }

  private key(): string {
    return `${this.model.sceneId}|${this.model.scene?.title ?? ''}`;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  private build(scene: Scene): void {
    for (const { group, material, edges } of this.bodies) {
      group.traverse((node) => {
        if (node instanceof THREE.Mesh || node instanceof THREE.LineSegments) node.geometry.dispose();
      });
      material.dispose();
      edges.dispose();
      this.world.remove(group);
    }
    this.grounds = [];
    this.solids = [];
    const solids = new Map<string, Solid | null>();
    const parts = scene.bodies.reduce((sum, body) => sum + body.parts.length, 0);
    this.bodies = scene.bodies.map((body) => {
      const group = new THREE.Group();
      const material = new THREE.MeshLambertMaterial();
      const edges = new THREE.LineBasicMaterial({ transparent: true });
      let radius = 0;
      for (const part of body.parts) {
        const place = new THREE.Object3D();
        place.position.fromArray(part.position);
        place.quaternion.fromArray(part.rotation);
        group.add(place);
        const key = part.shape.kind === 'triangles' ? '' : JSON.stringify(part.shape);
        let solid = key === '' ? undefined : solids.get(key);
        if (solid === undefined) {
          solid = makeSolid(part.shape);
          if (key !== '') solids.set(key, solid);
        }
        if (solid === null) {
          this.grounds.push(place);
          continue;
        }
        const mesh = new THREE.Mesh(solid.geometry, material);
        mesh.castShadow = mesh.receiveShadow = true;
        place.add(mesh);
        this.solids.push(mesh);
        if (parts <= EDGED) place.add(new THREE.LineSegments(solid.edges, edges));
        radius = Math.max(radius, Math.hypot(...part.position) + reach(part.shape));
      }
      this.world.add(group);
      return { group, material, edges, radius };
    });
    this.paint();
  }

  /** What needs to know where things are: the ground, the light, the first look. */
  private firstFrame(): void {
    const again = this.fitted !== '';
    this.fitted = this.key();
    this.place();
    this.measure();
    this.painted = this.palette;
    for (const ground of this.grounds) this.lay(ground);
    this.fit(again);
  }

  /** Centre and radius of the free bodies, or of all where none is free. */
  private measure(): void {
    const box = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const wanted of [['free'], ['driven'], ['fixed']]) {
      this.model.scene?.bodies.forEach((body, i) => {
        const view = this.bodies[i];
        if (!view || view.radius === 0 || !wanted.includes(body.motion)) return;
        at.copy(view.group.position);
        const r = view.radius * 0.8;
        box.expandByPoint(at.clone().addScalar(r)).expandByPoint(at.clone().addScalar(-r));
      });
      if (!box.isEmpty()) break;
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    box.getCenter(this.centre);
    this.size = Math.max(1e-6, box.getSize(at).length() / 2);
    this.cell = 10 ** Math.round(Math.log10(this.size / 6));
  }

  /** Lays gridded ground at a half-space. */
  private lay(place: THREE.Object3D): void {
    for (const old of [...place.children] as THREE.Mesh[]) {
      old.geometry.dispose();
      place.remove(old);
    }
    place.updateWorldMatrix(true, false);
    const inverse = place.matrixWorld.clone().invert();
    const centre = this.centre.clone().applyMatrix4(inverse);
    const above = new THREE.Vector3(centre.x, centre.y, 0);
    const radius = 14 * this.size;
    const [x, y, z] = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)] as const;
    const [floor, line, far] = [this.palette.floor, this.palette.line, this.palette.background].map((colour) => new THREE.Color(colour)) as [THREE.Color, THREE.Color, THREE.Color];
    const top = new THREE.Mesh(disc(above, x, y, radius, false, floor, far), this.groundMaterial);
    top.renderOrder = -4;
    const grid = new THREE.LineSegments(gridLines(above, this.cell, radius, line, floor, far), this.gridMaterial);
    grid.renderOrder = -2;
    place.add(top, grid);
    const plane = this.model.scene?.plane;
    if (plane) {
      // Seen along the plane the surface is a line: fill what is below it.
      const across = new THREE.Vector3(...plane).transformDirection(inverse).cross(z).normalize();
      const cut = new THREE.Mesh(disc(above, across, z, radius, true, line, far), this.cutMaterial);
      cut.renderOrder = -5;
      place.add(cut);
    }
  }

  /** Shadows on the ground: every solid pressed flat along the light. Cheap enough without a graphics card. */
  private cast(): void {
    let used = 0;
    this.shades.visible = this.model.show.shadows;
    if (this.shades.visible) {
      const light = this.sun.position.clone().sub(this.sun.target.position).normalize();
      const normal = new THREE.Vector3();
      const flat = new THREE.Matrix4();
      for (const ground of this.grounds) {
        normal.setFromMatrixColumn(ground.matrixWorld, 2);
        const down = normal.dot(light);
        if (down < 0.05) continue;
        const offset = normal.dot(new THREE.Vector3().setFromMatrixPosition(ground.matrixWorld));
        const [a, b, c] = normal.toArray();
        const [l, m, n] = light.toArray();
        flat.set(down - l * a, -l * b, -l * c, l * offset, -m * a, down - m * b, -m * c, m * offset, -n * a, -n * b, down - n * c, n * offset, 0, 0, 0, down);
        for (const solid of this.solids) {
          let shade = this.shades.children[used] as THREE.Mesh | undefined;
          if (shade === undefined) {
            shade = new THREE.Mesh(solid.geometry, this.shadeMaterial);
            shade.matrixAutoUpdate = shade.matrixWorldAutoUpdate = false;
            shade.frustumCulled = false;
            shade.renderOrder = -3;
            this.shades.add(shade);
          }
          shade.geometry = solid.geometry;
          shade.matrixWorld.multiplyMatrices(flat, solid.matrixWorld);
          shade.visible = true;
          used++;
        }
      }
    }
    while (this.shades.children.length > used) this.shades.remove(this.shades.children[this.shades.children.length - 1]!);
  }

  /** Turns the camera to the free bodies. */
  fit(smooth = true): void {
    this.measure();
    const plane = this.model.scene?.plane;
    const towards = new THREE.Vector3(0.5, -1, 0.42);
    if (plane) {
      towards.set(...plane);
      const main = Math.abs(towards.z) > 0.7 ? towards.z : -(Math.abs(towards.y) > 0.5 ? towards.y : -towards.x);
      if (main < 0) towards.negate();
      if (Math.abs(towards.z) > 0.99) towards.y -= 1e-3;
    }
    towards.normalize();
    const half = Math.atan(Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, this.camera.aspect));
    const distance = (1.12 * this.size) / Math.sin(half);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    const to = [this.centre.clone().addScaledVector(towards, distance), this.centre.clone()];
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (smooth && !still) {
      this.flight = { from: [this.camera.position.clone(), this.controls.target.clone()], to, start: performance.now(), span: 550 };
    } else {
      this.flight = null;
      this.camera.position.copy(to[0]!);
      this.controls.target.copy(to[1]!);
    }
    this.invalidate();
  }

  /** Turns the view by angles (rad) and zooms by a factor, for the keyboard. */
  turn(azimuth: number, height: number, zoom = 1): void {
    this.flight = null;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const spherical = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    spherical.theta += azimuth;
    spherical.phi = Math.max(0.01, Math.min(Math.PI - 0.01, spherical.phi - height));
    spherical.radius *= zoom;
    const turned = new THREE.Vector3().setFromSpherical(spherical);
    this.camera.position.set(turned.x, -turned.z, turned.y).add(this.controls.target);
    this.invalidate();
  }

  private paint(): void {
    const { palette: colours, model } = this;
    const { show, selection } = model;
    this.world.background = new THREE.Color(colours.background);
    this.shadeMaterial.color.set(colours.shade);
    if (this.fitted === this.key() && this.painted !== colours) {
      this.painted = colours;
      for (const ground of this.grounds) this.lay(ground);
    }
    const dark = currentTheme() === 'dark';
    this.sky.groundColor.set(dark ? 0x59636f : 0xb8c0ca);
    // Bodies shade each other only where there is a graphics card.
    this.sun.castShadow = show.shadows && !this.software;
    let count = 0;
    this.bodies.forEach((view, i) => {
      const motion = model.body(i)?.motion ?? 'free';
      const free = colours.bodies[count % colours.bodies.length]!;
      if (motion === 'free') count++;
      const chosen = selection?.kind === 'body' && selection.index === i;
      const { material, edges } = view;
      material.color.set(motion === 'fixed' ? colours.fixed : motion === 'driven' ? colours.driven : free);
      material.emissive.set(chosen ? colours.accent : 0x000000);
      material.emissiveIntensity = 0.28;
      const clear = show.xray;
      if (material.transparent !== clear) material.needsUpdate = true;
      material.transparent = clear;
      material.opacity = clear ? 0.3 : 1;
      material.depthWrite = !clear;
      edges.color.set(chosen ? colours.accent : colours.edge);
      edges.opacity = chosen ? 1 : 0.6;
      edges.visible = show.edges;
    });
    this.invalidate();
  }

  /** Puts the bodies where the frame has them. */
  private place(): void {
    const frame = this.model.frame;
    if (frame === null) return;
    const mean = new THREE.Vector3();
    let count = 0;
    this.bodies.forEach(({ group, radius }, i) => {
      const state = frame.bodies[i];
      if (state === undefined) return;
      group.position.fromArray(state.position);
      group.quaternion.fromArray(state.rotation);
      if (radius > 0 && this.model.body(i)?.motion === 'free') {
        mean.add(group.position);
        count++;
      }
    });
    // The light follows where the bodies go.
    if (count > 0) mean.divideScalar(count);
    else mean.copy(this.centre);
    if (this.sun.target.position.distanceTo(mean) > 0.4 * this.size || this.sun.shadow.camera.right !== 2.2 * this.size) {
      const away = 8 * this.size;
      this.sun.target.position.copy(mean);
      this.sun.position.copy(mean).addScaledVector(new THREE.Vector3(-0.42, -0.5, 0.95).normalize(), away);
      const camera = this.sun.shadow.camera;
      camera.left = camera.bottom = -2.2 * this.size;
      camera.right = camera.top = 2.2 * this.size;
      camera.near = 0.1 * away;
      camera.far = 2.5 * away;
      camera.updateProjectionMatrix();
      this.sun.shadow.normalBias = 0.004 * this.size;
    }
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    if (this.flight !== null) {
      const { from, to, start, span } = this.flight;
      const part = Math.min(1, (now - start) / span);
      const eased = 1 - (1 - part) ** 3;
      this.camera.position.lerpVectors(from[0]!, to[0]!, eased);
      this.controls.target.lerpVectors(from[1]!, to[1]!, eased);
      if (part >= 1) this.flight = null;
      this.changed = true;
    }
    this.controls.update();
    if (!this.changed && !this.continuous && !this.model.status?.playing) return;
    this.draw();
    this.count(now);
  };

  /** Draws now. */
  draw(): void {
    this.changed = false;
    this.place();
    this.camera.updateMatrixWorld();
    for (const layer of this.layers) layer.update(this);
    this.world.updateMatrixWorld();
    this.cast();
    this.renderer.clear();
    this.renderer.render(this.world, this.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.overlay, this.camera);
  }

  private count(now: number): void {
    this.total++;
    const last = this.drawn[this.drawn.length - 1];
    if (last !== undefined && now - last > 400) {
      this.drawn.length = 0;
      this.slowSince = now;
    }
    this.drawn.push(now);
    while (this.drawn[0]! < now - 1000) this.drawn.shift();
    const span = now - this.drawn[0]!;
    if (span < 300) return;
    this.lastRate = ((this.drawn.length - 1) * 1000) / span;
    if (this.lastRate > 50) this.slowSince = now;
    else if (now - this.slowSince > 1500) {
      const next = RATIOS.find((ratio) => ratio < this.ratio);
      if (next !== undefined) {
        this.ratio = next;
        this.resize();
      }
      this.slowSince = now;
    }
  }

  /** A PNG of what is seen, twice as fine as the screen. */
  async picture(): Promise<Blob | null> {
    this.renderer.setPixelRatio(2);
    this.draw();
    const blob = await new Promise<Blob | null>((done) => {
      this.canvas.toBlob(done, 'image/png');
    });
    this.renderer.setPixelRatio(this.ratio);
    this.invalidate();
    return blob;
  }

  /** Where a point of the world is on the page, in pixels; null behind the camera. */
  project(point: Vec3): { x: number; y: number } | null {
    const at = new THREE.Vector3(...point).project(this.camera);
    if (at.z > 1 || at.z < -1) return null;
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  /** The ray under a point of the page. */
  ray(x: number, y: number): THREE.Ray {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.caster.setFromCamera(at, this.camera);
    return this.caster.ray;
  }

  /** The body under a point of the page, and where it is hit. */
  pickBody(x: number, y: number): { body: number; point: THREE.Vector3 } | null {
    this.ray(x, y);
    const hits = this.caster.intersectObjects(this.bodies.map(({ group }) => group)).filter(({ object }) => object instanceof THREE.Mesh);
    for (const { object, point } of hits) {
      const body = this.bodies.findIndex(({ group }) => object.parent?.parent === group);
      if (body >= 0) return { body, point };
    }
    return null;
  }

  /** The contact whose point is near a point of the page. */
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

  /** Pixels that a metre at the target takes. */
  pixelsPerMetre(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.holder.clientHeight / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }
}
