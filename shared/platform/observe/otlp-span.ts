/**
 * One OpenTelemetry span as an OTLP message (`ExportTraceServiceRequest` in protobuf). The OpenTelemetry SDK and its serializer are
 * larger than most of our functions, and we need one kind of span.
 */
export interface OtlpSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits each. */
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  /** Attributes of what produces the spans. */
  readonly resource: Attributes;
}

type Attributes = Readonly<Record<string, string | readonly string[]>>;

/** SPAN_KIND_INTERNAL: X-Ray shows it as a subsegment of its parent. */
const internal = 1;

export const encodeOtlpSpan = (span: OtlpSpan): Buffer => {
  const encoded = Buffer.concat([
    bytes(1, Buffer.from(span.traceId, 'hex')),
    bytes(2, Buffer.from(span.spanId, 'hex')),
    bytes(4, Buffer.from(span.parentSpanId, 'hex')),
    bytes(5, Buffer.from(span.name)),
    Buffer.from([(6 << 3) | varintType, internal]),
    nanoseconds(7, span.startedMs),
    nanoseconds(8, span.endedMs),
    ...keyValues(9, span.attributes),
  ]);
  const scope = bytes(1, bytes(1, Buffer.from('backup-management-service')));
  const resource = bytes(1, Buffer.concat(keyValues(1, span.resource)));
  return bytes(1, Buffer.concat([resource, bytes(2, Buffer.concat([scope, bytes(2, encoded)]))]));
};

const varintType = 0;
const fixed64Type = 1;
const bytesType = 2;

const bytes = (field: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(field << 3) | bytesType]), varint(content.length), content]);

const varint = (value: number): Buffer => {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) digits.push((rest % 128) | 128);
  return Buffer.from([...digits, rest]);
};

const nanoseconds = (field: number, ms: number): Buffer => {
  const encoded = Buffer.alloc(9, (field << 3) | fixed64Type);
  encoded.writeBigUInt64LE(BigInt(Math.round(ms)) * 1_000_000n, 1);
  return encoded;
};

const keyValues = (field: number, attributes: Attributes): readonly Buffer[] =>
  Object.entries(attributes).map(([key, value]) =>
    bytes(field, Buffer.concat([bytes(1, Buffer.from(key)), bytes(2, anyValue(value))])),
  );

/** string_value is field 1, array_value field 5. */
const anyValue = (value: string | readonly string[]): Buffer =>
  typeof value === 'string'
    ? bytes(1, Buffer.from(value))
    : bytes(5, Buffer.concat(value.map((each) => bytes(1, bytes(1, Buffer.from(each))))));
