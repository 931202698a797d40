/** A table of many backups that computes every response on demand and stores none. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { marshalled } from '../../harness/table/in-memory-table.ts';

type Stored = Readonly<Record<string, { readonly S?: string }>>;

/** DynamoDB ends a page after 1 MB; a record has about 1.3 KB. */
const pageItems = 800;
/** Backups in a chain: each depends on all before it. */
const chain = 24;
/** One in `expiredShare` chains has expired. */
const expiredShare = 100;

const dayMs = 24 * 3_600_000;
const digits = (n: number): string => `bkp_01${String(n).padStart(24, '0')}`;

export class BackupTable {
  expired = 0;
  reads = 0;
  /** Fixed, so that a backup looks the same on every read. */
  readonly #nowMs = Date.now();
  readonly #size: number;
  readonly #server: Server;

  constructor(size: number) {
    this.#size = size;
    this.#server = createServer(async (request, response) => {
      const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const action = String(request.headers['x-amz-target']).split('.')[1];
      const body = JSON.stringify(this.#answer(action, input));
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(action: string | undefined, input: Record<string, unknown>): object {
    if (action === 'TransactWriteItems') return this.#write(input);
    if (action === 'BatchGetItem') return this.#get(input);
    return this.#query(input);
  }

  #write({ TransactItems }: Record<string, unknown>): object {
    if (JSON.stringify(TransactItems).includes('"expired"')) this.expired += 1;
    return {};
  }

  #get({ RequestItems }: Record<string, unknown>): object {
    const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems as Record<string, { Keys: Stored[] }>);
    const found = Keys.map(({ pk, sk }) => this.#item(pk?.S ?? '', sk?.S ?? ''));
    return { Responses: { [table]: found.map((item) => wire(item)) }, UnprocessedKeys: {} };
  }

  #item(pk: string, sk: string): Record<string, unknown> {
    if (sk.startsWith('BACKUP#')) return this.#backup(Number(sk.slice('BACKUP#bkp_01'.length)));
    return pk === 'RETENTION' ? { pk, sk, organizationId: sk, dueAt: new Date(0).toISOString() } : { pk, sk, id: pk };
  }

  #query({
    ExpressionAttributeValues,
    ExclusiveStartKey,
    ProjectionExpression,
    ExpressionAttributeNames,
  }: Record<string, unknown>): object {
    const { ':from': from } = ExpressionAttributeValues as Stored;
    if (!from?.S?.startsWith('BACKUP#')) return { Items: [] };
    this.reads += 1;
    const after = (ExclusiveStartKey as Stored | undefined)?.sk?.S;
    const start = after === undefined ? 0 : Number(after.slice('BACKUP#bkp_01'.length)) + 1;
    const end = Math.min(start + pageItems, this.#size);
    const names = ExpressionAttributeNames as Record<string, string>;
    const only = new Set(
      String(ProjectionExpression)
        .split(', ')
        .map((placeholder) => names[placeholder]),
    );
    const Items = Array.from({ length: end - start }, (_, n) => wire(this.#backup(start + n), only));
    const last = Items.at(-1);
    return { Items, ...(end < this.#size && last && { LastEvaluatedKey: { pk: last.pk, sk: last.sk } }) };
  }

  /** Half of the backups are in chains, with a policy that keeps them all; the others have an expiry date. The oldest have expired. */
  #backup(n: number): Record<string, unknown> {
    const id = digits(n);
    const position = n % chain;
    const isExpired = n < Math.floor(this.#size / expiredShare / chain) * chain;
    const isChained = Math.floor(n / chain) % 2 === 1;
    const at = new Date(this.#nowMs - (this.#size - n + 1) * 3_600_000).toISOString();
    const first = n - position;
    const policy = { daily: 1_000, weekly: 1_000, monthly: 1_000, yearly: 1_000 };
    return {
      pk: 'ORG#org_bench',
      sk: `BACKUP#${id}`,
      id,
      projectId: `prj_${n % 50}`,
      type: isChained && position > 0 ? 'incremental' : 'full',
      parentBackupId: isChained && position > 0 ? digits(n - 1) : null,
      ...(isChained && position > 0 && { needs: Array.from({ length: position }, (_, k) => digits(first + k)), builtUpon: 1 }),
      status: 'completed',
      trigger: 'scheduled',
      scheduleId: `sch_${n % 100}`,
      collections: ['*'],
      excludedCollections: [],
      includeAuthUsers: false,
      // Every hour has backups of a hundred schedules.
      ...(isChained && !isExpired ? { retentionPolicy: policy, expiresAt: null } : {}),
      ...(!isChained || isExpired ? { expiresAt: new Date(this.#nowMs + (isExpired ? -1 : 400) * dayMs).toISOString() } : {}),
      archive: { organization: 'org_bench', project: `prj_${n % 50}`, backup: id },
      storageDestination: { id: 'dst_bench', name: 'Bucket', type: 's3' },
      path: `prj/${id}`,
      readTime: at,
      createdAt: at,
      completedAt: at,
      lockedUntil: null,
      verification: null,
      size: 1_000_000,
    };
  }
}

const wire = (item: Record<string, unknown>, only?: ReadonlySet<string | undefined>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !only || only.has(name))
      .map(([name, value]) => [name, marshalled(value)]),
  );
