// Half-spaces as translucent surfaces with a grid, and the grid behind a planar scene.

import * as THREE from 'three';
import type { BodyState, Part } from '../data/frame';
import type { Vec3 } from '../data/vec';
import type { Palette } from '../page/theme';
import { planarDirection } from './camera';
import type { Extent } from './extent';
import { patch } from './shapes';

/** A surface that bodies rest on. */
export interface GroundPlane {
  normal: THREE.Vector3;
  /** Distance of the plane from the origin along its normal. */
  offset: number;
}

/** Radius of a surface as a multiple of the size of the scene; it fades out from half of it on. */
const RADIUS = 9;
/** How much of what is below a surface it hides. */
const OPACITY = 0.86;

/** The plane of a surface in world coordinates. */
function planeOf({ matrixWorld }: THREE.Object3D): GroundPlane {
  const normal = new THREE.Vector3().setFromMatrixColumn(matrixWorld, 2);
  return { normal, offset: normal.dot(new THREE.Vector3().setFromMatrixPosition(matrixWorld)) };
}

/** The uniforms of a grid. */
interface Grid {
  gridColour: { value: THREE.Color };
  /** Distance between lines (m); every tenth line is stronger. */
  gridCell: { value: number };
  /** Centre in the plane and radius (m). */
  gridCentre: { value: THREE.Vector3 };
}

const makeGrid = (): Grid => ({
  gridColour: { value: new THREE.Color() },
  gridCell: { value: 1 },
  gridCentre: { value: new THREE.Vector3(0, 0, 1) },
});

const VERTEX = `
varying vec2 gridAt;
`;
// A line is one pixel wide at any distance: fwidth is the size of a pixel in cells. Lines closer than two pixels fade out.
const FRAGMENT = `
varying vec2 gridAt;
uniform vec3 gridColour;
uniform float gridCell;
uniform vec3 gridCentre;
float gridLines(float cell) {
  vec2 at = gridAt / cell;
  vec2 pixel = fwidth(at);
  vec2 off = abs(fract(at - 0.5) - 0.5) / max(pixel, vec2(1e-6));
  vec2 line = (1.0 - min(off, 1.0)) * (1.0 - smoothstep(0.1, 0.5, pixel));
  return max(line.x, line.y);
}
`;

/** Draws a grid into a material, and fades it out with the distance from the centre. */
function addGrid(material: THREE.Material, grid: Grid): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, grid);
    shader.vertexShader =
      VERTEX +
      shader.vertexShader.replace(
        '#include <begin_vertex>',
        '#include <begin_vertex>\n  gridAt = position.xy;',
      );
    shader.fragmentShader =
      FRAGMENT +
      shader.fragmentShader.replace(
        '#include <opaque_fragment>',
        `float gridLine = max(0.45 * gridLines(gridCell), gridLines(10.0 * gridCell));
      float gridFade = 1.0 - smoothstep(0.35, 1.0, length(gridAt - gridCentre.xy) / gridCentre.z);
      outgoingLight = mix(outgoingLight, gridColour, gridLine);
      diffuseColor.a = gridFade * max(diffuseColor.a, gridLine);
      #include <opaque_fragment>`,
      );
  };
}

export class Ground {
  /** One surface per half-space, in a holder that has the pose of its body. */
  private surfaces: THREE.Object3D[] = [];
  private backdrop: THREE.Mesh | null = null;
  private readonly grids: Grid[] = [];
  private readonly bandMaterial = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
  private palette: Palette | null = null;

  constructor(private readonly world: THREE.Scene) {}

  /** Removes all surfaces. */
  clear(): void {
    for (const surface of this.surfaces) {
      this.empty(surface);
      this.world.remove(surface.parent!);
    }
    this.surfaces = [];
    this.grids.length = 0;
  }

  private empty(surface: THREE.Object3D): void {
    for (const old of [...surface.children] as THREE.Mesh[]) {
      old.geometry.dispose();
      if (old.material !== this.bandMaterial) (old.material as THREE.Material).dispose();
      surface.remove(old);
    }
  }

  /** Adds the half-space of a body; `build` makes it visible. */
  add(body: number, part: Part): void {
    const holder = new THREE.Group();
    const surface = new THREE.Object3D();
    surface.position.fromArray(part.position);
    surface.quaternion.fromArray(part.rotation);
    holder.userData['body'] = body;
    holder.add(surface);
    this.world.add(holder);
    this.surfaces.push(surface);
  }

  /** Moves the surfaces with their bodies. */
  place(bodies: BodyState[]): void {
    for (const surface of this.surfaces) {
      const holder = surface.parent!;
      const state = bodies[holder.userData['body'] as number];
      if (state === undefined) continue;
      holder.position.fromArray(state.position);
      holder.quaternion.fromArray(state.rotation);
      holder.updateMatrixWorld();
    }
  }

  /** The planes of all surfaces. */
  planes(): GroundPlane[] {
    return this.surfaces.map(planeOf);
  }

  /** Meshes that can be picked. */
  tops(): THREE.Object3D[] {
    return this.surfaces.flatMap(({ children }) => children.slice(0, 1));
  }

  /** The body of a picked top. */
  bodyOf(top: THREE.Object3D): number {
    return top.parent?.parent?.userData['body'] as number;
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.bandMaterial.color.set(palette.ground);
    for (const grid of this.grids) grid.gridColour.value.set(palette.line);
    for (const top of this.tops() as THREE.Mesh[])
      (top.material as THREE.MeshLambertMaterial).color.set(palette.ground);
  }

  /** Rebuilds all surfaces and the backdrop. */
  build(extent: Extent, plane: Vec3 | null): void {
    this.grids.length = 0;
    for (const surface of this.surfaces) this.buildSurface(surface, extent, plane);
    this.buildBackdrop(extent, plane);
    if (this.palette !== null) this.paint(this.palette);
  }

  private grid(material: THREE.Material, centre: THREE.Vector3, radius: number, cell: number): void {
    const grid = makeGrid();
    grid.gridCell.value = cell;
    grid.gridCentre.value.set(centre.x, centre.y, radius);
    addGrid(material, grid);
    this.grids.push(grid);
  }

  private buildSurface(surface: THREE.Object3D, { centre, size, cell }: Extent, plane: Vec3 | null): void {
    this.empty(surface);
    surface.updateWorldMatrix(true, false);
    const inverse = surface.matrixWorld.clone().invert();
    const local = centre.clone().applyMatrix4(inverse);
    const below = new THREE.Vector3(local.x, local.y, 0);
    const radius = RADIUS * size;
    const corner = below.clone().add(new THREE.Vector3(-radius, -radius, 0));
    const [u, v] = [new THREE.Vector3(2 * radius, 0, 0), new THREE.Vector3(0, 2 * radius, 0)];
    const material = new THREE.MeshLambertMaterial({
      transparent: true,
      opacity: OPACITY,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    this.grid(material, below, radius, cell);
    const top = new THREE.Mesh(patch(corner, u, v), material);
    top.receiveShadow = true;
    // In a planar scene the surface is seen edge-on: a band below it makes it visible.
    top.visible = plane === null;
    surface.add(top);
    if (plane === null) return;
    const z = new THREE.Vector3(0, 0, 1);
    const across = new THREE.Vector3(...plane).transformDirection(inverse).cross(z).normalize();
    const end = below.clone().addScaledVector(across, -radius);
    const band = new THREE.Mesh(
      patch(end, across.multiplyScalar(2 * radius), z.multiplyScalar(-0.1 * size)),
      this.bandMaterial,
    );
    band.renderOrder = -5;
    surface.add(band);
  }

  /** A grid behind a planar scene. */
  private buildBackdrop({ centre, size, cell }: Extent, plane: Vec3 | null): void {
    if (this.backdrop !== null) {
      this.backdrop.geometry.dispose();
      (this.backdrop.material as THREE.Material).dispose();
      this.world.remove(this.backdrop);
    }
    this.backdrop = null;
    if (plane === null) return;
    const rotation = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...plane),
    );
    const local = centre.clone().applyQuaternion(rotation.clone().invert());
    const radius = 8 * size;
    const material = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0,
      side: THREE.DoubleSide,
      depthWrite: false,
    });
    this.grid(material, local, radius, cell);
    const corner = new THREE.Vector3(local.x - radius, local.y - radius, 0);
    const [u, v] = [new THREE.Vector3(2 * radius, 0, 0), new THREE.Vector3(0, 2 * radius, 0)];
    this.backdrop = new THREE.Mesh(patch(corner, u, v), material);
    this.backdrop.quaternion.copy(rotation);
    // Behind the bodies, seen from the standard direction.
    this.backdrop.position.set(0, 0, local.z).applyQuaternion(rotation);
    this.backdrop.position.addScaledVector(planarDirection(plane).normalize(), -1.1 * size);
    this.backdrop.renderOrder = -6;
    this.world.add(this.backdrop);
  }
}
