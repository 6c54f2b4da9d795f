// The stage: bodies in light and shadow, the ground, the camera; draws only when something changed.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Scene } from './frame';
import type { Model } from './model';
import { gridLines, patch, reach } from './shapes';
import { Solids } from './solids';
import { type Palette, currentTheme, palette } from './theme';
import type { Vec3 } from './vec';

// Colours are used as they are written: turning each pixel to linear light and back costs more than all else in software.
THREE.ColorManagement.enabled = false;

/** Pixel ratios to fall back to where drawing is slow. */
const RATIOS = [1, 0.85];
/** A picture that stands still this long (ms) is drawn again, finer. */
const STILL = 250;

/** Towards the sun. */
const LIGHT = new THREE.Vector3(-0.42, -0.5, 0.95).normalize();

interface Layer {
  /** Brings what it draws up to date. */
  update(stage: Stage): void;
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
  /** Radius of a middling free body. */
  bodySize = 1;
  /** Distance between grid lines (m). */
  cell = 1;
  /** Thrifty: no antialiasing, no shadows of bodies on each other. `?quality=high` forbids it. */
  readonly software: boolean;
  private readonly world = new THREE.Scene();
  private readonly renderer: THREE.WebGLRenderer;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.7);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8c0ca, 2.2);
  // The ground has the colour of the background: it hides what is below it, and is drawn only where something is.
  private readonly groundMaterial = new THREE.MeshBasicMaterial({
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 4,
  });
  private readonly cutMaterial = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
  private readonly gridMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private readonly paperMaterial = new THREE.LineBasicMaterial({
    vertexColors: true,
    depthTest: false,
    depthWrite: false,
  });
  private readonly shadeMaterial = new THREE.MeshBasicMaterial({ depthWrite: false });
  private grounds: THREE.Object3D[] = [];
  private paper: THREE.LineSegments | null = null;
  private readonly caster = new THREE.Raycaster();
  private readonly layers: Layer[] = [];
  private solids: Solids | null = null;
  /** Radius of every body about its centre of mass; 0 where it has only half-spaces. */
  private radii: number[] = [];
  private readonly centre = new THREE.Vector3();
  /** Half the box about the bodies. */
  private readonly half = new THREE.Vector3(1, 1, 1);
  /** Nobody moved the camera since it was fitted. */
  private untouched = false;
  /** The scene was built, and no frame has told yet where its bodies are. */
  private fresh = true;
  private fitted = '';
  private painted: Palette | null = null;
  private changed = true;
  private flight: { from: THREE.Vector3[]; to: THREE.Vector3[]; start: number; span: number } | null = null;
  private readonly drawn: number[] = [];
  private lastRate = 0;
  private slowSince = 0;
  private lastDraw = 0;
  private fine = false;
  private ratio = Math.min(window.devicePixelRatio || 1, 2);
  /** Frames drawn so far. */
  total = 0;
  /** Draw on every tick, as for a video. */
  continuous = false;

  constructor(
    private readonly holder: HTMLElement,
    private readonly model: Model,
  ) {
    this.software = drawnInSoftware() && new URLSearchParams(location.search).get('quality') !== 'high';
    this.renderer = new THREE.WebGLRenderer({
      antialias: !this.software,
      powerPreference: 'high-performance',
    });
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
    this.controls.addEventListener('start', () => {
      this.flight = null;
      this.untouched = false;
    });

    this.sun.position.copy(LIGHT);
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.normalBias = 0.01;
    this.world.add(this.sun, this.sun.target, this.sky);
    this.overlay.matrixWorldAutoUpdate = true;

    model.on('scene', (scene) => this.build(scene));
    model.on('frame', () => {
      if (this.fresh) this.firstFrame();
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
    this.fine = false;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.untouched) this.fit(false);
    this.invalidate();
  }

  private build(scene: Scene): void {
    for (const ground of this.grounds) {
      for (const old of ground.children as THREE.Mesh[]) old.geometry.dispose();
      this.world.remove(ground.parent!);
    }
    if (this.solids !== null) {
      this.world.remove(this.solids.group);
      this.solids.dispose();
    }
    this.fresh = true;
    this.grounds = [];
    this.solids = new Solids(scene, this.software, LIGHT, this.shadeMaterial);
    this.world.add(this.solids.group);
    this.radii = scene.bodies.map((body, index) => {
      let radius = 0;
      for (const part of body.parts) {
        if (part.shape.kind !== 'half-space') {
          radius = Math.max(radius, Math.hypot(...part.position) + reach(part.shape));
          continue;
        }
        const holder = new THREE.Group();
        const ground = new THREE.Object3D();
        ground.position.fromArray(part.position);
        ground.quaternion.fromArray(part.rotation);
        holder.userData['body'] = index;
        holder.add(ground);
        this.world.add(holder);
        this.grounds.push(ground);
      }
      return radius;
    });
    this.paint();
  }

  /** What needs to know where things are: the ground, the light, the first look. */
  private firstFrame(): void {
    this.fresh = false;
    this.place();
    this.measure();
    this.painted = this.palette;
    this.ground();
    // The same scene again, as after the line was cut, is looked at as before.
    if (this.fitted !== this.key()) this.fit(this.fitted !== '');
    this.fitted = this.key();
  }

  /** Centre and radius of the free bodies, or of all where none is free. */
  private measure(): void {
    const box = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const wanted of [['free'], ['driven'], ['fixed']]) {
      this.model.scene?.bodies.forEach((body, i) => {
        const state = this.model.frame?.bodies[i];
        const radius = this.radii[i] ?? 0;
        if (state === undefined || radius === 0 || !wanted.includes(body.motion)) return;
        at.fromArray(state.position);
        const r = radius * 0.8;
        box.expandByPoint(at.clone().addScalar(r)).expandByPoint(at.clone().addScalar(-r));
      });
      if (!box.isEmpty()) break;
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    box.getCenter(this.centre);
    box.getSize(this.half).multiplyScalar(0.5);
    this.size = Math.max(1e-6, this.half.length());
    const free = this.radii
      .filter((radius, i) => radius > 0 && this.model.body(i)?.motion === 'free')
      .sort((a, b) => a - b);
    this.bodySize = free[free.length >> 1] ?? this.size;
    this.cell = 10 ** Math.round(Math.log10(this.size / 6));
  }

  private ground(): void {
    for (const ground of this.grounds) this.lay(ground);
    this.hang();
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
    const [x, y, z] = [
      new THREE.Vector3(1, 0, 0),
      new THREE.Vector3(0, 1, 0),
      new THREE.Vector3(0, 0, 1),
    ] as const;
    const [background, line] = [new THREE.Color(this.palette.background), new THREE.Color(this.palette.line)];
    const corner = above.clone().add(new THREE.Vector3(-radius, -radius, 0));
    const top = new THREE.Mesh(
      patch(corner, x.multiplyScalar(2 * radius), y.multiplyScalar(2 * radius)),
      this.groundMaterial,
    );
    top.renderOrder = -4;
    const normal = new THREE.Vector3().setFromMatrixColumn(place.matrixWorld, 2);
    top.visible =
      this.solids?.below(
        normal,
        normal.dot(new THREE.Vector3().setFromMatrixPosition(place.matrixWorld)),
        1e-3 * this.size,
      ) ?? false;
    place.add(top);
    const plane = this.model.scene?.plane;
    if (plane) {
      // Seen along the plane the surface is a line: draw a band below it.
      const across = new THREE.Vector3(...plane).transformDirection(inverse).cross(z).normalize();
      const end = above.clone().addScaledVector(across, -radius);
      const cut = new THREE.Mesh(
        patch(end, across.multiplyScalar(2 * radius), z.multiplyScalar(-0.1 * this.size)),
        this.cutMaterial,
      );
      cut.renderOrder = -5;
      place.add(cut);
    } else {
      const grid = new THREE.LineSegments(
        gridLines(above, this.cell, radius, line, background),
        this.gridMaterial,
      );
      grid.renderOrder = -2;
      place.add(grid);
    }
  }

  /** A planar world stands before a grid. */
  private hang(): void {
    this.paper?.geometry.dispose();
    if (this.paper !== null) this.world.remove(this.paper);
    this.paper = null;
    const plane = this.model.scene?.plane;
    if (!plane) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...plane),
    );
    const behind = this.centre.clone().applyQuaternion(turn.clone().invert());
    const [background, line] = [new THREE.Color(this.palette.background), new THREE.Color(this.palette.line)];
    this.paper = new THREE.LineSegments(
      gridLines(behind, this.cell, 8 * this.size, line, background),
      this.paperMaterial,
    );
    this.paper.quaternion.copy(turn);
    this.paper.position.set(0, 0, behind.z).applyQuaternion(turn);
    this.paper.renderOrder = -6;
    this.world.add(this.paper);
  }

  /** Turns the camera to the free bodies. */
  fit(smooth = true): void {
    this.untouched = true;
    this.measure();
    const plane = this.model.scene?.plane;
    const towards = new THREE.Vector3(0.5, -1, 0.42);
    if (plane) {
      towards.set(...plane);
      const main =
        Math.abs(towards.z) > 0.7 ? towards.z : -(Math.abs(towards.y) > 0.5 ? towards.y : -towards.x);
      if (main < 0) towards.negate();
      if (Math.abs(towards.z) > 0.99) towards.y -= 1e-3;
    }
    towards.normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize();
    if (right.lengthSq() === 0) right.set(1, 0, 0);
    const up = new THREE.Vector3().crossVectors(towards, right);
    // Planar worlds are seen nearly without perspective.
    this.camera.fov = plane ? 12 : 32;
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (const i of [-1, 1])
      for (const j of [-1, 1])
        for (const k of [-1, 1]) {
          const corner = new THREE.Vector3(i * this.half.x, j * this.half.y, k * this.half.z);
          const near = corner.dot(towards);
          distance = Math.max(
            distance,
            Math.abs(corner.dot(up)) / tall + near,
            Math.abs(corner.dot(right)) / (tall * this.camera.aspect) + near,
          );
        }
    distance = Math.max((plane ? 1.35 : 1.2) * distance, 2.2 * this.size);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    const to = [this.centre.clone().addScaledVector(towards, distance), this.centre.clone()];
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (smooth && !still) {
      this.flight = {
        from: [this.camera.position.clone(), this.controls.target.clone()],
        to,
        start: performance.now(),
        span: 550,
      };
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
    this.untouched = false;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const spherical = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    spherical.theta += azimuth;
    spherical.phi = Math.max(0.01, Math.min(Math.PI - 0.01, spherical.phi - height));
    spherical.radius *= zoom;
    const turned = new THREE.Vector3().setFromSpherical(spherical);
    this.camera.position.set(turned.x, -turned.z, turned.y).add(this.controls.target);
    this.invalidate();
  }

  /** Shifts the view by parts of the height of the stage. */
  shift(right: number, up: number): void {
    this.flight = null;
    this.untouched = false;
    const tall = this.holder.clientHeight / this.pixelsPerMetre();
    this.camera.updateMatrixWorld();
    const by = new THREE.Vector3()
      .setFromMatrixColumn(this.camera.matrixWorld, 0)
      .multiplyScalar(right * tall)
      .addScaledVector(new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), up * tall);
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.invalidate();
  }

  private paint(): void {
    const { palette: colours, model } = this;
    const { show, selection } = model;
    this.world.background = new THREE.Color(colours.background);
    this.shadeMaterial.color.set(colours.shade);
    this.groundMaterial.color.set(colours.background);
    this.cutMaterial.color.set(colours.line);
    if (!this.fresh && this.painted !== colours) {
      this.painted = colours;
      this.ground();
    }
    const dark = currentTheme() === 'dark';
    this.sky.groundColor.set(dark ? 0x59636f : 0xb8c0ca);
    // Bodies shade each other only where there is a graphics card.
    this.sun.castShadow = show.shadows && !this.software;
    if (this.solids !== null) {
      let count = 0;
      const accent = new THREE.Color(colours.accent);
      const edges: THREE.Color[] = [];
      const faces = (model.scene?.bodies ?? []).map(({ motion }, i) => {
        const free = colours.bodies[count % colours.bodies.length]!;
        if (motion === 'free') count++;
        const colour = new THREE.Color(
          motion === 'fixed' ? colours.fixed : motion === 'driven' ? colours.driven : free,
        );
        const chosen = selection?.kind === 'body' && selection.index === i;
        edges.push(chosen ? accent : colour.clone().lerp(new THREE.Color(colours.edge), 0.72));
        return chosen ? colour.lerp(accent, 0.45) : colour;
      });
      this.solids.paint(faces, edges);
      const { faceMaterial } = this.solids;
      faceMaterial.transparent = show.xray;
      faceMaterial.opacity = show.xray ? 0.3 : 1;
      faceMaterial.depthWrite = !show.xray;
      faceMaterial.needsUpdate = true;
      this.solids.edges.visible = show.edges;
      this.solids.shade.visible = show.shadows && model.scene?.plane === null;
    }
    this.invalidate();
  }

  /** Puts the bodies where the frame has them. */
  private place(): void {
    const { frame, scene } = this.model;
    if (frame === null || scene === null || this.solids === null) return;
    for (const ground of this.grounds) {
      const holder = ground.parent!;
      const state = frame.bodies[holder.userData['body'] as number];
      if (state === undefined) continue;
      holder.position.fromArray(state.position);
      holder.quaternion.fromArray(state.rotation);
      holder.updateMatrixWorld();
    }
    if (!this.solids.place(frame.bodies)) return;
    this.solids.cast(
      this.grounds.map(({ matrixWorld }) => {
        const normal = new THREE.Vector3().setFromMatrixColumn(matrixWorld, 2);
        return { normal, offset: normal.dot(new THREE.Vector3().setFromMatrixPosition(matrixWorld)) };
      }),
    );
    if (!this.sun.castShadow) return;
    // The light follows where the bodies go.
    const mean = new THREE.Vector3();
    let count = 0;
    scene.bodies.forEach(({ motion }, i) => {
      if (motion !== 'free' || frame.bodies[i] === undefined) return;
      mean.add(new THREE.Vector3(...frame.bodies[i].position));
      count++;
    });
    if (count > 0) mean.divideScalar(count);
    else mean.copy(this.centre);
    const camera = this.sun.shadow.camera;
    if (this.sun.target.position.distanceTo(mean) < 0.4 * this.size && camera.right === 2.2 * this.size)
      return;
    const away = 8 * this.size;
    this.sun.target.position.copy(mean);
    this.sun.position.copy(mean).addScaledVector(LIGHT, away);
    camera.left = camera.bottom = -2.2 * this.size;
    camera.right = camera.top = 2.2 * this.size;
    camera.near = 0.1 * away;
    camera.far = 2.5 * away;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.size;
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
    if (!this.changed && !this.continuous && !this.model.status?.playing) {
      if (!this.fine && now - this.lastDraw > STILL) this.refine();
      return;
    }
    if (this.fine) {
      this.fine = false;
      this.renderer.setPixelRatio(this.ratio);
    }
    this.lastDraw = now;
    this.draw();
    this.count(now);
  };

  /** Draws what stands still once more, with twice the pixels. */
  private refine(): void {
    this.fine = true;
    if (this.ratio >= 2) return;
    this.renderer.setPixelRatio(2);
    this.draw();
  }

  /** Draws now. */
  draw(): void {
    this.changed = false;
    this.place();
    this.camera.updateMatrixWorld();
    for (const layer of this.layers) layer.update(this);
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
    if (this.lastRate > 45) this.slowSince = now;
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
    this.fine = true;
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
    if (this.solids === null) return null;
    const tops = this.grounds.flatMap(({ children }) => children.slice(0, 1));
    const hit = this.caster.intersectObjects([this.solids.mesh, ...tops], false)[0];
    if (hit === undefined) return null;
    const body =
      hit.object === this.solids.mesh
        ? this.solids.bodyOf(hit.faceIndex ?? -1)
        : (hit.object.parent?.parent?.userData['body'] as number);
    return { body, point: hit.point };
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
