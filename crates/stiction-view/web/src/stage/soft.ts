// Soft shadows: how three.js samples the shadow map, replaced before the first material is compiled.

import * as THREE from 'three';

/** Radius of the penumbra in pixels of the map: in a still picture, and while it moves with software rendering. */
export const STILL_RADIUS = 2.4;
export const MOVING_RADIUS = 0;

/** Sixteen samples are smooth; one is nearly as fast as no shadow. */
const samples = (one: (at: string) => string) => `
        if ( shadowRadius < 0.5 ) {
          shadow = ${one('shadowCoord.xy')};
        } else {
          vec2 penumbra = shadowRadius / shadowMapSize;
          shadow = 0.0;
          for ( int i = 0; i < 16; i ++ ) {
            vec2 off = vec2( float( i % 4 ), float( i / 4 ) ) / 1.5 - 1.0;
            shadow += ${one('shadowCoord.xy + off * penumbra')} / 16.0;
          }
        }
`;

/** The beginning and the end of what is replaced, and the replacement. */
const CHANGES = [
  // With a graphics card each sample is filtered over 2 × 2 pixels.
  [
    '// Hardware PCF with LinearFilter gives us 4-tap filtering per sample',
    ') * 0.2;',
    samples((at) => `texture( shadowMap, vec3( ${at}, shadowCoord.z ) )`),
  ],
  // Filtered samples are slow in software.
  [
    'float depth = texture2D( shadowMap, shadowCoord.xy ).r;',
    '#endif',
    samples((at) => `step( shadowCoord.z, texture2D( shadowMap, ${at} ).r )`),
  ],
] as const;

/** Replaces the samples; without the expected text three.js keeps its own. */
export function soften(): void {
  for (const [start, end, code] of CHANGES) {
    const chunk = THREE.ShaderChunk.shadowmap_pars_fragment;
    const from = chunk.indexOf(start);
    const to = chunk.indexOf(end, from);
    if (from < 0 || to < 0) continue;
    THREE.ShaderChunk.shadowmap_pars_fragment = chunk.slice(0, from) + code + chunk.slice(to + end.length);
  }
}
