import { type DatabaseEdition, type ReadPrice, readPriceOf } from '../contract/read-prices.ts';
import type { ProjectRecord } from './record.ts';

type Known = Pick<ProjectRecord, 'database'>;

/** Standard until it is known: a document is at least one read unit of 4 KiB only if it is read alone. */
export const editionOf = ({ database }: Known): DatabaseEdition => (database?.state === 'known' ? database.edition : 'standard');

/** The list price of its reads; the dearest one while its location is not known. */
export const projectReadPrice = ({ database }: Known): ReadPrice => readPriceOf(database?.state === 'known' ? database : {});
