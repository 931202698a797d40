/** The fields whose filters could speed a search up: those that it compares with `==`. Pure. */
import { fieldSegments, pathSegment } from '../../firestore/index.ts';
import type { SearchQuery } from './parse-query.ts';

export interface ComparedField {
  readonly path: string;
  /** Whether the project names it, so that its next backups have filters of its values. */
  readonly named: boolean;
}

export const comparedFields = (query: SearchQuery, searchFields: readonly string[]): readonly ComparedField[] => {
  if (query.kind !== 'values') return [];
  const canonical = (segments: readonly string[]): string => segments.map(pathSegment).join('.');
  const named = new Set(searchFields.map((field) => canonical(fieldSegments(field) ?? [])));
  const compared = query.conditions.flatMap((condition) =>
    condition.kind === 'compare' && condition.comparison === '==' ? [canonical(condition.field)] : [],
  );
  return [...new Set(compared)].map((path) => ({ path, named: named.has(path) }));
};
