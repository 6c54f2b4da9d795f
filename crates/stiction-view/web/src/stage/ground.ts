// Half-spaces as ground with a grid, and the grid behind a planar scene.

import * as THREE from 'three';
import type { BodyState, Part } from '../frame';
import { gridLines, patch } from '../shapes';
import type { GroundPlane, Solids } from '../solids';
import type { Palette } from '../theme';
import type { Vec3 } from '../vec';
import type { Extent } from './extent';

/** The plane of a surface in world coordinates. */
function planeOf({ matrixWorld }: THREE.Object3D): GroundPlane {
  const normal = new THREE.Vector3().setFromMatrixColumn(matrixWorld, 2);
  return { normal, offset: normal.dot(new THREE.Vector3().setFromMatrixPosition(matrixWorld)) };
}

export class Ground {
  /** One surface per half-space, in a holder that has the pose of its body. */
  private surfaces: THREE.Object3D[] = [];
  private backdrop: THREE.LineSegments | null = null;
  // The top has the colour of the background. It hides what is below and is visible only if something is.
  private readonly topMaterial = new THREE.MeshBasicMaterial({
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 4,
  });
  private readonly bandMaterial = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
  private readonly gridMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private readonly backdropMaterial = new THREE.LineBasicMaterial({
    vertexColors: true,
    depthTest: false,
    depthWrite: false,
  });

  constructor(private readonly world: THREE.Scene) {}

  /** Removes all surfaces. */
  clear(): void {
    for (const surface of this.surfaces) {
      for (const old of surface.children as THREE.Mesh[]) old.geometry.dispose();
      this.world.remove(surface.parent!);
    }
    this.surfaces = [];
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
    this.topMaterial.color.set(palette.background);
    this.bandMaterial.color.set(palette.line);
  }

  /** Rebuilds all surfaces and the backdrop. */
  build(extent: Extent, plane: Vec3 | null, palette: Palette, solids: Solids | null): void {
    for (const surface of this.surfaces) this.buildSurface(surface, extent, plane, palette, solids);
    this.buildBackdrop(extent, plane, palette);
  }

  private buildSurface(
    surface: THREE.Object3D,
    { centre, size, cell }: Extent,
    plane: Vec3 | null,
    palette: Palette,
    solids: Solids | null,
  ): void {
    for (const old of [...surface.children] as THREE.Mesh[]) {
      old.geometry.dispose();
      surface.remove(old);
    }
    surface.updateWorldMatrix(true, false);
    const inverse = surface.matrixWorld.clone().invert();
    const local = centre.clone().applyMatrix4(inverse);
    const below = new THREE.Vector3(local.x, local.y, 0);
    const radius = 14 * size;
    const corner = below.clone().add(new THREE.Vector3(-radius, -radius, 0));
    const [u, v] = [new THREE.Vector3(2 * radius, 0, 0), new THREE.Vector3(0, 2 * radius, 0)];
    const top = new THREE.Mesh(patch(corner, u, v), this.topMaterial);
    top.renderOrder = -4;
    const { normal, offset } = planeOf(surface);
    top.visible = solids?.reachesBelow(normal, offset, 1e-3 * size) ?? false;
    surface.add(top);
    if (plane !== null) {
      // In a planar scene the surface is seen edge-on: a band below it makes it visible.
      const z = new THREE.Vector3(0, 0, 1);
      const across = new THREE.Vector3(...plane).transformDirection(inverse).cross(z).normalize();
      const end = below.clone().addScaledVector(across, -radius);
      const band = new THREE.Mesh(
        patch(end, across.multiplyScalar(2 * radius), z.multiplyScalar(-0.1 * size)),
        this.bandMaterial,
      );
      band.renderOrder = -5;
      surface.add(band);
    } else {
      const grid = new THREE.LineSegments(gridOf(below, cell, radius, palette), this.gridMaterial);
      grid.renderOrder = -2;
      surface.add(grid);
    }
  }

  /** A grid behind a planar scene. */
  private buildBackdrop({ centre, size, cell }: Extent, plane: Vec3 | null, palette: Palette): void {
    this.backdrop?.geometry.dispose();
    if (this.backdrop !== null) this.world.remove(this.backdrop);
    this.backdrop = null;
    if (plane === null) return;
    const rotation = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...plane),
    );
    const local = centre.clone().applyQuaternion(rotation.clone().invert());
    this.backdrop = new THREE.LineSegments(gridOf(local, cell, 8 * size, palette), this.backdropMaterial);
    this.backdrop.quaternion.copy(rotation);
    this.backdrop.position.set(0, 0, local.z).applyQuaternion(rotation);
    this.backdrop.renderOrder = -6;
    this.world.add(this.backdrop);
  }
}

function gridOf(centre: THREE.Vector3, cell: number, radius: number, palette: Palette): THREE.BufferGeometry {
  const [line, background] = [new THREE.Color(palette.line), new THREE.Color(palette.background)];
  return gridLines(centre, cell, radius, line, background);
}
