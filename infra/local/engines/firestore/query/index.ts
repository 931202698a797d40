import type { Databases } from '../databases.ts';
import type { Methods } from '../parts.ts';
import { runAggregationQuery } from './aggregate.ts';
import { partitionQuery } from './partition.ts';
import { runQuery } from './run-query.ts';

/** The methods that ask. */
export const queryMethods = (databases: Databases): Methods => ({
  RunQuery: runQuery(databases),
  RunAggregationQuery: runAggregationQuery(databases),
  PartitionQuery: partitionQuery(databases),
});
