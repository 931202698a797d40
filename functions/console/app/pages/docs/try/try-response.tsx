import { useEffect, useRef } from 'react';
import { formatCount } from '../../../format/format-number.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { CodeView } from '../code/code-view.tsx';
import type { TryAnswer } from './use-try.ts';

/** Longer answers are cut: a browser needs seconds to draw a megabyte. */
const shownMax = 100_000;

const shownHeaders = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Location',
  'Idempotent-Replayed',
  'Retry-After',
  'Content-Type',
];

/** One answer, which scrolls into view: status, headers that matter, and the body, formatted if it is JSON. */
export const TryResponse = ({ answer: { status, headers, text, durationMs } }: { readonly answer: TryAnswer }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.scrollIntoView({ block: 'start' }), []);
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '');
  const body = isJson ? formatJson(text) : text;
  const rest = body.length - shownMax;
  return (
    <div className="stack stack--medium docs-answer" role="status">
      <h3 ref={heading} className="row row--single docs-answer__head">
        Answer <Badge tone={status < 300 ? 'good' : status < 400 ? 'info' : 'bad'}>{status}</Badge>
        <span className="small muted">{formatCount(Math.round(durationMs))} ms</span>
      </h3>
      <dl className="stack stack--close docs-answer__headers">
        {shownHeaders.map((name) => {
          const value = headers.get(name);
          return value === null ? null : (
            <Fact key={name} label={name} className="wrap-anywhere">
              {value}
            </Fact>
          );
        })}
      </dl>
      {body !== '' && (
        <CodeView
          label="Answer"
          samples={[{ label: 'Body', language: isJson ? 'json' : 'text', code: body.slice(0, shownMax) }]}
        />
      )}
      {rest > 0 && <p className="small muted">{formatCount(rest)} more characters are not shown.</p>}
    </div>
  );
};

const formatJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
