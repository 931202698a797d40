import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TypedValue } from '../../../../../shared/client/index.ts';
import { formatBytes } from '../../format/format-number.ts';
import { formatMoment } from '../../format/format-time.ts';
import { CopyButton } from '../data/code-block.tsx';
import { Tooltip } from '../tooltip.tsx';

/** Longer texts are cut until the person asks for all of it. */
const shownMax = 400;

const LongText = ({ text, quoted = false }: { readonly text: string; readonly quoted?: boolean }) => {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shownMax && !isWhole;
  const quote = quoted ? '"' : '';
  return (
    <span className="value__text">
      {quote}
      {isLong ? text.slice(0, shownMax) : text}
      {isLong ? '…' : quote}
      {isLong && (
        <button type="button" className="value__more" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </span>
  );
};

const degrees = (value: number, positive: string, negative: string): string =>
  `${Math.abs(value)}° ${value < 0 ? negative : positive}`;

/** A value without parts. References lead to `linkTo`, if it is given. */
export const Scalar = ({
  value,
  linkTo,
}: {
  readonly value: TypedValue;
  readonly linkTo?: ((path: string) => object) | undefined;
}) => {
  switch (value.type) {
    case 'null':
      return <span className="value__keyword">null</span>;
    case 'boolean':
      return <span className="value__keyword">{String(value.value)}</span>;
    case 'integer':
    case 'double':
      return <span className="value__number">{value.text}</span>;
    case 'string':
      return <LongText text={value.text} quoted />;
    case 'timestamp':
      return (
        <span className="value__pair">
          <time dateTime={value.at}>{formatMoment(new Date(value.at))}</time>
          <span className="muted">{value.at}</span>
        </span>
      );
    case 'geopoint':
      return (
        <span>
          {degrees(value.latitude, 'N', 'S')}, {degrees(value.longitude, 'E', 'W')}
        </span>
      );
    case 'reference':
      return linkTo ? (
        <Tooltip text={value.name}>
          <Link {...(linkTo(value.path) as { to: string })} className="value__text">
            {value.path}
          </Link>
        </Tooltip>
      ) : (
        <span className="value__text" title={value.name}>
          {value.path}
        </span>
      );
    case 'bytes':
      return (
        <span className="value__pair">
          <span className="row">
            {formatBytes(value.size)} <CopyButton text={value.base64} label="Copy as base64" />
          </span>
          <span className="muted">
            <LongText text={value.base64} />
          </span>
        </span>
      );
    case 'unknown':
      return <LongText text={value.json} />;
    default:
      return null;
  }
};
