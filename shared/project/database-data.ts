import type * as z from 'zod/mini';
import type { ProjectDatabase } from '../contract/models/project.ts';
import { readPriceSource } from '../contract/read-prices.ts';
import { databaseInfoPermission } from './database-info.ts';
import { editionOf, projectReadPrice } from './read-price.ts';
import type { ProjectRecord } from './record.ts';

/** What is known of the database, and the price that its reads are estimated with. */
export const databaseData = (project: Pick<ProjectRecord, 'database'>): z.input<typeof ProjectDatabase> => {
  const { database } = project;
  const known = database?.state === 'known' ? database : undefined;
  const { isOfLocation, ...price } = projectReadPrice(project);
  return {
    state: database?.state ?? 'unknown',
    edition: known?.edition ?? null,
    locationId: known?.locationId ?? null,
    pointInTimeRecovery: known?.pointInTimeRecovery ?? null,
    realtimeUpdates: known?.realtimeUpdates ?? null,
    permission: database?.state === 'permission_missing' ? databaseInfoPermission : null,
    checkedAt: database?.checkedAt ?? null,
    readPrice: { ...price, ofLocation: isOfLocation, source: readPriceSource(editionOf(project)) },
  };
};
