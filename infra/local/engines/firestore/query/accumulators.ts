import { RpcError, type StoredDocument } from '../base/types.ts';
import { proto } from '../proto/codecs.ts';
import type { Aggregation } from '../proto/query-messages.ts';
import { type FieldRef, fieldRef, fieldValue } from './field-access.ts';

/** A running aggregation. */
interface Accumulator {
  add(document: StoredDocument): void;
  /** An encoded Value. */
  result(): Uint8Array;
  /** The number of documents after which the result cannot change. */
  readonly enough: number;
}

export const accumulatorOf = (aggregation: Aggregation, database: string): Accumulator => {
  if (aggregation.count) return counter(aggregation.count.upTo?.value);
  if (aggregation.sum) return summer(fieldRef(aggregation.sum.field, database), 'sum');
  if (aggregation.avg) return summer(fieldRef(aggregation.avg.field, database), 'average');
  throw new RpcError('INVALID_ARGUMENT', 'Operator field in Aggregation is not set.');
};

const counter = (upTo: bigint | undefined): Accumulator => {
  if (upTo !== undefined && upTo <= 0n) throw new RpcError('INVALID_ARGUMENT', 'up_to must be greater than zero.');
  let count = 0n;
  return {
    add: () => {
      if (upTo === undefined || count < upTo) count++;
    },
    result: () => proto.Value.encode({ integerValue: count }),
    enough: upTo === undefined ? Number.POSITIVE_INFINITY : Number(upTo),
  };
};

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Ignores values that are not numbers. Integer sums are exact; beyond 64 bits, or with a double, the sum is a double. */
const summer = (field: FieldRef, kind: 'sum' | 'average'): Accumulator => {
  let integers = 0n;
  const doubles = new DoubleSum();
  let hasDouble = false;
  let count = 0;
  const total = (): number => Number(integers) + doubles.value;
  return {
    add: (document) => {
      const value = fieldValue(document, field);
      if (value?.kind === 'integer') integers += BigInt(value.value);
      else if (value?.kind === 'double') {
        doubles.add(value.value);
        hasDouble = true;
      } else return;
      count++;
    },
    result: () => {
      if (kind === 'average')
        return proto.Value.encode(count === 0 ? { nullValue: 'NULL_VALUE' } : { doubleValue: total() / count });
      if (!hasDouble && integers >= int64Min && integers <= int64Max) return proto.Value.encode({ integerValue: integers });
      return proto.Value.encode({ doubleValue: total() });
    },
    enough: Number.POSITIVE_INFINITY,
  };
};

/** Neumaier summation: compensates rounding errors, so that the result does not depend on the order of documents. */
class DoubleSum {
  #sum = 0;
  #lost = 0;

  add(value: number): void {
    const sum = this.#sum + value;
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum;
  }
}
