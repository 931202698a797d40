/** The endpoints of storage destinations that open the bucket. */
import { storageDestinations } from '../../shared/contract/endpoints/storage-destinations.ts';
import {
  assertDestinationWorks,
  changesLocation,
  checkDestinationInput,
  createDestination,
  type DestinationInput,
  destinationData,
  destinationHasBackups,
  mergeInput,
  openCredentials,
  readDestination,
  requestedAccess,
  requiredAccess,
  testAndRecord,
  testDestination,
  updateDestination,
} from '../../shared/destination/index.ts';
import { handle } from '../../shared/http/index.ts';
import { newId } from '../../shared/platform/index.ts';

export const create = handle(storageDestinations.create, async (call) => {
  const { tenant, body, now } = call;
  const { prefix = '', region = null, endpoint = null, objectLock = null, sse = null, sseKmsKeyId = null } = body;
  const { workloadIdentity: _identity, ...fields } = body;
  const chosen = { prefix: withoutSlash(prefix), region, endpoint, objectLock, sse, sseKmsKeyId };
  const input: DestinationInput = { ...fields, ...chosen, credentials: requiredAccess(body) };
  await checkDestinationInput(input);
  await assertDestinationWorks(tenant, input, input.credentials);
  const { destination, change } = await createDestination(call, {
    id: newId('storageDestination', now),
    input,
    now,
  });
  return { data: destinationData(destination), change };
});

export const update = handle(storageDestinations.update, async (call) => {
  const { tenant, params, now } = call;
  const record = await readDestination(tenant, params.storageId);
  const { prefix, credentials: _credentials, workloadIdentity: _identity, ...rest } = call.body;
  const credentials = requestedAccess({ ...call.body, type: record.type });
  const given = {
    ...rest,
    ...(prefix !== undefined && { prefix: withoutSlash(prefix) }),
    ...(credentials && { credentials }),
  };
  if (Object.keys(given).length === 0) return { data: destinationData(record), change: { writes: [], audit: [] } };
  const input = mergeInput(record, await openCredentials(tenant, record), given);
  await checkDestinationInput(input);
  if (record.backupCount > 0 && changesLocation(record, input)) throw destinationHasBackups();
  await testAndRecord(call, record, { target: input, credentials: input.credentials, action: 'storage.updated', now });
  const { destination, change } = await updateDestination(call, { record, input, changes: given, now });
  return { data: destinationData(destination), change };
});

export const test = handle(storageDestinations.test, async (call) => {
  const record = await readDestination(call.tenant, call.params.storageId);
  const { found, change } = await testDestination(call, record, call.now);
  const { checks, warnings, durationMs } = found;
  return { data: { success: true as const, checks: [...checks], warnings: [...warnings], duration: durationMs }, change };
});

const withoutSlash = (prefix: string): string => prefix.replace(/\/$/, '');
