import type { Methods } from '../base/types.ts';
import type { Databases } from '../storage/databases.ts';
import { partitionQuery } from './partition.ts';
import { runAggregationQuery } from './run-aggregation-query.ts';
import { runQuery } from './run-query.ts';

/** The query methods. */
export const queryMethods = (databases: Databases): Methods => ({
  RunQuery: runQuery(databases),
  RunAggregationQuery: runAggregationQuery(databases),
  PartitionQuery: partitionQuery(databases),
});
