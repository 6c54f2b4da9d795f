// PNG pictures: halving, reducing colours, contact sheets.

import UPNG from 'upng-js';

/** Averages blocks of 2 × 2 pixels: antialiases a picture drawn at twice its size. */
export function halved(png) {
  const image = UPNG.decode(png);
  const from = new Uint8Array(UPNG.toRGBA8(image)[0]);
  const [width, height] = [image.width >> 1, image.height >> 1];
  const to = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 4; channel++) {
        const at = (dx, dy) => from[4 * ((2 * y + dy) * image.width + 2 * x + dx) + channel];
        to[4 * (y * width + x) + channel] = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) >> 2;
      }
  return { width, height, pixels: to };
}

export function decoded(png) {
  const image = UPNG.decode(png);
  return { width: image.width, height: image.height, pixels: new Uint8Array(UPNG.toRGBA8(image)[0]) };
}

/** Encodes a PNG with at most `colours` colours. */
export function encoded({ width, height, pixels }, colours) {
  return Buffer.from(UPNG.encode([pixels.buffer], width, height, colours));
}

/** A contact sheet of pictures of equal size. */
export function sheet(pictures, columns) {
  const { width, height } = pictures[0];
  const rows = Math.ceil(pictures.length / columns);
  const pixels = new Uint8Array(4 * width * columns * height * rows);
  pictures.forEach((picture, i) => {
    const [left, top] = [(i % columns) * width, Math.floor(i / columns) * height];
    for (let y = 0; y < height; y++)
      pixels.set(
        picture.pixels.subarray(4 * y * width, 4 * (y + 1) * width),
        4 * ((top + y) * width * columns + left),
      );
  });
  return { width: width * columns, height: height * rows, pixels };
}
