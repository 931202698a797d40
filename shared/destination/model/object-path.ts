import type { DestinationRecord } from './record.ts';

/** The path of a folder below the destination's prefix. */
export const objectPath = ({ prefix }: Pick<DestinationRecord, 'prefix'>, ...folders: readonly string[]): string =>
  [prefix, ...folders].filter((folder) => folder !== '').join('/');
