/** The destinations that a project's backups lie in: they are there on the other side too, and count what is theirs on each. */
import { type DestinationRecord, destinationData, destinationKey, externalIdOf, moveCredentials } from '../destination/index.ts';
import { emit } from '../event/index.ts';
import { type OrganizationRecord, organizationKey, organizationRef } from '../organization/index.ts';
import { add, create, getAll, iso, StaleReadError, type Write } from '../platform/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import type { MoveContext } from './move-context.ts';

export interface CarriedDestinations {
  readonly writes: readonly Write[];
  /** Those whose credentials the other side did not have before. */
  readonly handedOver: readonly Pick<DestinationRecord, 'id' | 'name'>[];
}

/** Under the same ids: the records of backups name them. One that is on the other side already, from an earlier move, stays as it is. */
export const carryDestinations = async (
  route: MoveContext,
  { settings }: ProjectRecord,
  { byDestination }: Tally,
  organization: OrganizationRecord,
  now: Date,
): Promise<CarriedDestinations> => {
  const { from, to } = route;
  const counts = new Map(byDestination);
  if (settings.defaultStorageId) counts.set(settings.defaultStorageId, counts.get(settings.defaultStorageId) ?? 0);
  const ids = [...counts.keys()];
  const found = await getAll(ids.flatMap((id) => [destinationKey(from, id), destinationKey(to, id)]));
  const handedOver: { id: string; name: string }[] = [];
  const writes = await Promise.all(
    ids.map(async (id, n): Promise<readonly Write[]> => {
      const [here, there] = found.slice(n * 2, n * 2 + 2);
      const count = counts.get(id) ?? 0;
      if (here && !there) handedOver.push({ id, name: here.name });
      return [
        ...(here && count > 0 ? [counted(here, -count)] : []),
        ...(there
          ? count > 0
            ? [counted(there, count)]
            : []
          : here
            ? await carried(route, here, count, organization, now)
            : []),
      ];
    }),
  );
  return { writes: writes.flat(), handedOver };
};

const counted = ({ pk, sk }: DestinationRecord, amount: number): Write => ({
  ...add({ pk, sk }, 'backupCount', amount),
  onConditionFailed: () => new StaleReadError(),
});

/** For the other organization it is a new one. */
const carried = async (
  { from, to }: MoveContext,
  here: DestinationRecord,
  backupCount: number,
  organization: OrganizationRecord,
  now: Date,
): Promise<readonly Write[]> => {
  const record: DestinationRecord = {
    ...here,
    ...organizationKey.storageDestination(to, here.id),
    sealed: await moveCredentials(from, to, here),
    // The customer's role asks for the one it was made with.
    ...('roleArn' in here.masked && { externalId: here.externalId ?? externalIdOf(from) }),
    backupCount,
    updatedAt: iso(now),
  };
  return [
    create(record, () => new StaleReadError()),
    emit(to, 'storage.connected', { organization: organizationRef(organization), storage: destinationData(record) }, now),
  ];
};
