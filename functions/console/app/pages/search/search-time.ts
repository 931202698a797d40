import type { SearchPlan } from '../../data/search.ts';

/** Its parts are searched at once. */
export const searchTimeMs = ({ seconds, parts }: Pick<SearchPlan, 'seconds' | 'parts'>): number => (seconds * 1_000) / parts;
