/** The hardware limit of one core: zstd 3 of 1 MiB pieces, AES-256-GCM and SHA-256 of documents in memory. */
import { createCipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { FirestoreDatabase, readRange } from '../../../shared/firestore/index.ts';
import type { Task } from './bench-processes.ts';

const pieceBytes = 1 << 20;
/** Enough to measure a rate. */
const readyBytes = 16 << 20;

export class CoreLimit {
  readonly #ready: Buffer;
  #at = 0;
  bytes = 0;
  cpuSeconds = 0;

  constructor(ready: Buffer) {
    this.#ready = ready;
  }

  static async read({ url, project, readTime }: Task): Promise<CoreLimit> {
    const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
    const ready = Buffer.alloc(readyBytes);
    let filled = 0;
    for await (const batch of readRange(source, { range: {}, readTime })) {
      for (let i = 0; i < batch.count; i++) filled += batch.document(i).copy(ready, filled);
      if (filled >= readyBytes) break;
    }
    source.close();
    return new CoreLimit(ready.subarray(0, filled));
  }

  reset(): void {
    this.bytes = this.cpuSeconds = 0;
  }

  /** Seals the next piece. */
  step(): void {
    const piece = this.#ready.subarray(this.#at, this.#at + pieceBytes);
    this.#at = this.#at + 2 * pieceBytes > this.#ready.length ? 0 : this.#at + pieceBytes;
    const started = process.threadCpuUsage();
    seal(piece);
    const { user, system } = process.threadCpuUsage(started);
    this.cpuSeconds += (user + system) / 1e6;
    this.bytes += piece.length;
  }
}

const key = createSecretKey(randomBytes(32));
const params = { [constants.ZSTD_c_compressionLevel]: 3 };

const seal = (piece: Buffer): void => {
  const packed = zstdCompressSync(piece, { chunkSize: pieceBytes >> 1, params });
  const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12), { authTagLength: 16 });
  const sha256 = createHash('sha256').update(cipher.update(packed));
  cipher.final();
  sha256.update(cipher.getAuthTag()).digest();
};
