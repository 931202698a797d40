/** A release in a folder or at an https address. What is read from it has the digest that SHA256SUMS states. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Release {
  /** Paths of all files. */
  readonly paths: readonly string[];
  read(path: string): Promise<Buffer>;
}

export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

const digestsFile = 'SHA256SUMS';
const loopback = ['localhost', '127.0.0.1', '[::1]'];

export const openRelease = async (from: string, signal: AbortSignal): Promise<Release> => {
  const readAny = URL.canParse(from) ? addressReader(new URL(from), signal) : folderReader(from);
  const lines = (await readAny(digestsFile)).toString('utf8').split('\n');
  const digests = new Map(
    lines.flatMap((line) => {
      const [, digest, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      return digest && path ? [[path, digest] as const] : [];
    }),
  );
  if (digests.size === 0) throw new ReleaseError(`${from} has no ${digestsFile} of a release`);
  return {
    paths: [...digests.keys()],
    read: async (path) => {
      const digest = digests.get(path);
      if (digest === undefined) throw new ReleaseError(`the release has no ${path}`);
      const content = await readAny(path);
      if (createHash('sha256').update(content).digest('hex') !== digest)
        throw new ReleaseError(`${path} is damaged: its digest is not that of ${digestsFile}`);
      return content;
    },
  };
};

const folderReader =
  (folder: string) =>
  async (path: string): Promise<Buffer> => {
    try {
      return await readFile(join(folder, path));
    } catch (error) {
      throw new ReleaseError(`${join(folder, path)} cannot be read: is ${folder} the folder of a release?`, { cause: error });
    }
  };

const addressReader = (base: URL, signal: AbortSignal) => {
  if (base.protocol !== 'https:' && !loopback.includes(base.hostname))
    throw new ReleaseError('--from must be a folder or an https address');
  const folder = base.href.endsWith('/') ? base.href : `${base.href}/`;
  return async (path: string): Promise<Buffer> => {
    const url = new URL(path, folder);
    const response = await fetch(url, { signal });
    if (!response.ok) throw new ReleaseError(`${url} answers ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
};
