/** The query and listen messages of google.firestore.v1. Unknown enum values are numbers. */
import type { Consistency, DocumentBytes, Status, Timestamp, TransactionOptionsBytes, ValueBytes } from './document-messages.ts';

export interface FieldReference {
  readonly fieldPath: string;
}

export interface Filter {
  readonly compositeFilter?: { readonly op: 'OPERATOR_UNSPECIFIED' | 'AND' | 'OR' | number; readonly filters: readonly Filter[] };
  readonly fieldFilter?: { readonly field?: FieldReference; readonly op: FieldOperator | number; readonly value?: ValueBytes };
  readonly unaryFilter?: { readonly op: UnaryOperator | number; readonly field?: FieldReference };
}

export type FieldOperator =
  | 'OPERATOR_UNSPECIFIED'
  | 'LESS_THAN'
  | 'LESS_THAN_OR_EQUAL'
  | 'GREATER_THAN'
  | 'GREATER_THAN_OR_EQUAL'
  | 'EQUAL'
  | 'NOT_EQUAL'
  | 'ARRAY_CONTAINS'
  | 'IN'
  | 'ARRAY_CONTAINS_ANY'
  | 'NOT_IN';

type UnaryOperator = 'OPERATOR_UNSPECIFIED' | 'IS_NAN' | 'IS_NULL' | 'IS_NOT_NAN' | 'IS_NOT_NULL';

export interface Order {
  readonly field?: FieldReference;
  readonly direction: 'DIRECTION_UNSPECIFIED' | 'ASCENDING' | 'DESCENDING' | number;
}

export interface Cursor {
  readonly values: readonly ValueBytes[];
  readonly before: boolean;
}

export interface FindNearest {
  readonly vectorField?: FieldReference;
  readonly queryVector?: ValueBytes;
  readonly distanceMeasure: 'DISTANCE_MEASURE_UNSPECIFIED' | 'EUCLIDEAN' | 'COSINE' | 'DOT_PRODUCT' | number;
  readonly limit?: { readonly value: number };
  readonly distanceResultField: string;
  readonly distanceThreshold?: { readonly value: number };
}

export interface StructuredQuery {
  readonly select?: { readonly fields: readonly FieldReference[] };
  readonly from: readonly { readonly collectionId: string; readonly allDescendants: boolean }[];
  readonly where?: Filter;
  readonly orderBy: readonly Order[];
  readonly startAt?: Cursor;
  readonly endAt?: Cursor;
  readonly offset: number;
  readonly limit?: { readonly value: number };
  readonly findNearest?: FindNearest;
}

interface ExplainOptions {
  readonly analyze: boolean;
}

/** A google.protobuf.Struct. */
export interface Struct {
  readonly fields: ReadonlyMap<string, StructValue>;
}

/** A google.protobuf.Value. */
export interface StructValue {
  readonly nullValue?: 'NULL_VALUE' | number;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values: readonly StructValue[] };
}

export interface ExplainMetrics {
  readonly planSummary?: { readonly indexesUsed: readonly Struct[] };
  readonly executionStats?: {
    readonly resultsReturned: bigint;
    readonly executionDuration?: { readonly seconds: bigint; readonly nanos: number };
    readonly readOperations: bigint;
    readonly debugStats?: Struct;
  };
}

export interface RunQueryRequest extends Consistency {
  readonly parent: string;
  readonly structuredQuery?: StructuredQuery;
  readonly explainOptions?: ExplainOptions;
}

export interface RunQueryResponse {
  readonly transaction: Uint8Array;
  readonly document?: DocumentBytes;
  readonly readTime?: Timestamp;
  readonly skippedResults: number;
  readonly done?: boolean;
  readonly explainMetrics?: ExplainMetrics;
}

export interface Aggregation {
  readonly count?: { readonly upTo?: { readonly value: bigint } };
  readonly sum?: { readonly field?: FieldReference };
  readonly avg?: { readonly field?: FieldReference };
  readonly alias: string;
}

export interface RunAggregationQueryRequest extends Consistency {
  readonly parent: string;
  readonly structuredAggregationQuery?: {
    readonly structuredQuery?: StructuredQuery;
    readonly aggregations: readonly Aggregation[];
  };
  readonly explainOptions?: ExplainOptions;
}

export interface RunAggregationQueryResponse {
  readonly result?: { readonly aggregateFields: ReadonlyMap<string, ValueBytes> };
  readonly transaction: Uint8Array;
  readonly readTime?: Timestamp;
  readonly explainMetrics?: ExplainMetrics;
}

export interface PartitionQueryRequest {
  readonly parent: string;
  readonly structuredQuery?: StructuredQuery;
  readonly partitionCount: bigint;
  readonly pageToken: string;
  readonly pageSize: number;
  readonly readTime?: Timestamp;
}

export interface PartitionQueryResponse {
  readonly partitions: readonly Cursor[];
  readonly nextPageToken: string;
}

export interface ExecutePipelineRequest {
  readonly database: string;
  readonly transaction?: Uint8Array;
  readonly newTransaction?: TransactionOptionsBytes;
  readonly readTime?: Timestamp;
}

export interface Target {
  readonly query?: { readonly parent: string; readonly structuredQuery?: StructuredQuery };
  readonly documents?: { readonly documents: readonly string[] };
  readonly resumeToken?: Uint8Array;
  readonly readTime?: Timestamp;
  readonly targetId: number;
  readonly once: boolean;
  readonly expectedCount?: { readonly value: number };
}

export interface ListenRequest {
  readonly database: string;
  readonly addTarget?: Target;
  readonly removeTarget?: number;
  readonly labels: ReadonlyMap<string, string>;
}

export interface ListenResponse {
  readonly targetChange?: {
    readonly targetChangeType: 'NO_CHANGE' | 'ADD' | 'REMOVE' | 'CURRENT' | 'RESET' | number;
    readonly targetIds: readonly number[];
    readonly cause?: Status;
    readonly resumeToken: Uint8Array;
    readonly readTime?: Timestamp;
  };
  readonly documentChange?: {
    readonly document?: DocumentBytes;
    readonly targetIds: readonly number[];
    readonly removedTargetIds: readonly number[];
  };
  readonly documentDelete?: DocumentGone;
  readonly documentRemove?: DocumentGone;
  readonly filter?: {
    readonly targetId: number;
    readonly count: number;
    readonly unchangedNames?: {
      readonly bits?: { readonly bitmap: Uint8Array; readonly padding: number };
      readonly hashCount: number;
    };
  };
}

interface DocumentGone {
  readonly document: string;
  readonly removedTargetIds: readonly number[];
  readonly readTime?: Timestamp;
}
