/** Downloads the files of an export, piece by piece. A file appears under its name once its digest is verified. */
import { createHash, type Hash } from 'node:crypto';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import type { Client, DataOf, ElementOf } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import type { Context } from './context.ts';

type ExportJob = DataOf<'GET /exports/{exportId}'>;
type ExportFile = ElementOf<'GET /exports/{exportId}/files'>;

export interface SavedExport {
  readonly exportId: string;
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  /** Files that were there already. */
  readonly unchanged: number;
}

export const downloadExport = async (context: Context, { id, bytes }: ExportJob, folder: string): Promise<SavedExport> => {
  const { output } = context;
  const client = await context.client();
  const saved = { files: 0, bytes: 0, unchanged: 0 };
  const report = (more: number): void => {
    saved.bytes += more;
    if (output.terminal.hasProgress) output.progress(`\r\u001b[K${formatBytes(saved.bytes)} of ${formatBytes(bytes)} downloaded`);
  };
  try {
    for await (const file of client.list('GET /exports/{exportId}/files', { params: { exportId: id }, query: { limit: 100 } })) {
      const path = pathWithin(folder, file.name);
      saved.files += 1;
      if (await isThere(path, file)) {
        saved.unchanged += 1;
        report(file.bytes);
      } else await downloadFile(client, { exportId: id, file, path, report });
    }
  } finally {
    if (output.terminal.hasProgress) output.progress('\r\u001b[K');
  }
  return { exportId: id, folder, ...saved };
};

/** Names of files come from names of collections. */
const pathWithin = (folder: string, name: string): string => {
  const root = resolve(folder);
  const path = resolve(root, name);
  if (!path.startsWith(root + sep)) throw new CliFailure(exitCodes.failed, `${name} is not a name within the folder`);
  return path;
};

const isThere = async (path: string, { bytes, sha256 }: ExportFile): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes) return false;
  return (
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex') === sha256
  );
};

interface FileDownload {
  readonly exportId: string;
  readonly file: ExportFile;
  readonly path: string;
  readonly report: (bytes: number) => void;
}

const downloadFile = async (client: Client, { exportId, file, path, report }: FileDownload): Promise<void> => {
  const partial = `${path}.partial`;
  const hash = createHash('sha256');
  await withFile(partial, async (write) => {
    for (let offset: number | null = 0; offset !== null; ) {
      const piece: DataOf<'GET /exports/{exportId}/content'> = await client.request('GET /exports/{exportId}/content', {
        params: { exportId },
        query: { file: file.name, offset: String(offset) },
      });
      const bytes = Buffer.from(piece.content, 'base64');
      hash.update(bytes);
      await write(bytes);
      report(bytes.length);
      offset = piece.nextOffset;
    }
  });
  assertDigest(hash, file);
  await rename(partial, path);
};

const assertDigest = (hash: Hash, { name, sha256 }: ExportFile): void => {
  if (hash.digest('hex') === sha256) return;
  throw new CliFailure(exitCodes.failed, `${name}: the file in the bucket is not the one that was exported`);
};

const withFile = async (path: string, work: (write: (bytes: Uint8Array) => Promise<unknown>) => Promise<void>): Promise<void> => {
  const file = await mkdir(dirname(path), { recursive: true })
    .then(() => open(path, 'w', 0o600))
    .catch((error: NodeJS.ErrnoException) => {
      throw badInput(`${path} cannot be written: ${error.code}`);
    });
  try {
    await work((bytes) => file.writeFile(bytes));
  } finally {
    await file.close();
  }
};
