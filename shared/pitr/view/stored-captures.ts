import { mapConcurrent, query, type Tenant, walk } from '../../platform/index.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, pitrPrefix } from '../model/record.ts';

/** The captured changes of a project in one destination: each batch is an object. */
export interface StoredCaptures {
  readonly projectId: string;
  readonly status: PitrRecord['status'];
  /** Whether new changes are stored in the destination. */
  readonly isCurrent: boolean;
  /** Undefined if there are too many records to read in one call. */
  readonly stored: { readonly objects: number; readonly bytes: number } | undefined;
}

/** Each reads up to 1 MB, which is about a day of captures every minute. */
const readsMax = 200;
const concurrency = 8;
const fields = ['sk', 'storageDestinationId', 'chunk'] as const;

/** Of all projects that have captures, disabled ones among them: their batches stay until they expire. */
export const readStoredCaptures = async (tenant: Tenant, destinationId: string): Promise<readonly StoredCaptures[]> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix };
  const captures = await Array.fromAsync(walk<Captures>({ ...range, only: ['sk', 'projectId', 'status', 'storageDestination'] }));
  // If not all can be read, those that store here.
  const isHere = ({ storageDestination: { id } }: Captures): boolean => id === destinationId;
  const ordered = [...captures.filter(isHere), ...captures.filter((one) => !isHere(one))];
  let reads = 0;
  return mapConcurrent(ordered, concurrency, async (capture) => {
    const { projectId, status } = capture;
    const { pk } = pitrKey.tokens(tenant, projectId);
    const isCurrent = isHere(capture);
    let [objects, bytes] = [0, 0];
    let after: string | undefined;
    do {
      if (reads >= readsMax) return { projectId, status, isCurrent, stored: undefined };
      reads += 1;
      const where = { storageDestinationId: destinationId };
      const page = await query<Batch>({ pk, prefix: batchPrefix, after, only: fields, where });
      objects += page.items.length;
      bytes += page.items.reduce((sum, { chunk }) => sum + chunk.size, 0);
      after = page.next;
    } while (after !== undefined);
    return { projectId, status, isCurrent, stored: { objects, bytes } };
  });
};

type Captures = Pick<PitrRecord, 'projectId' | 'status' | 'storageDestination'>;
type Batch = Pick<BatchRecord, (typeof fields)[number]>;
