import { emit } from '../../event/index.ts';
import { type CallerContext, organizationRef } from '../../organization/index.ts';
import type { Write } from '../../platform/index.ts';
import { destinationData } from './read-destination.ts';
import type { DestinationRecord } from './record.ts';

export const connectedEvent = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  destination: DestinationRecord,
  now: Date,
): Write =>
  emit(tenant, 'storage.connected', { organization: organizationRef(organization), storage: destinationData(destination) }, now);
