/** Writes tar archives (POSIX ustar) that depend on names and contents alone: sorted, owned by root, of one fixed time. */
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly content: string | Uint8Array;
  readonly isExecutable?: boolean;
}

const blockBytes = 512;
/** npm gives its packages this time: 1985-10-26T08:15:00Z. Some tools refuse the beginning of 1970. */
const modifiedAt = 499_162_500;

export const gzippedTar = (entries: Readonly<Record<string, TarEntry>>): Buffer => {
  const blocks = Object.entries(entries)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, { content, isExecutable = false }]) => {
      const bytes = Buffer.from(content);
      const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
      return [headerOf(path, bytes.length, isExecutable ? 0o755 : 0o644), bytes, padding];
    });
  // Two empty blocks end an archive.
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
};

const headerOf = (path: string, bytes: number, mode: number): Buffer => {
  const header = Buffer.alloc(blockBytes);
  const [prefix, name] = splitPath(path);
  const octal = (value: number, offset: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  header.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(modifiedAt, 136, 12);
  // The checksum counts as spaces in its own sum.
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(prefix, 345);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
};

/** A name has 100 bytes; a longer path is split at a slash. */
const splitPath = (path: string): readonly [prefix: string, name: string] => {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  const at = slashes.find((index) => Buffer.byteLength(path.slice(index + 1)) <= 100);
  if (at === undefined || at > 155) throw new Error(`a tar archive has no room for the path ${path}`);
  return [path.slice(0, at), path.slice(at + 1)];
};
