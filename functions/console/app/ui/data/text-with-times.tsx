import { Fragment } from 'react';
import { Time } from './time.tsx';

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

interface TextWithTimesProps {
  readonly text: string;
  /** It begins with the name of something, which keeps its case. */
  readonly startsWithName?: boolean;
}

/** A sentence of the service that names moments; they are shown in the person's time zone. Begins with a capital. */
export const TextWithTimes = ({ text, startsWithName = false }: TextWithTimesProps) => {
  const parts = text.split(moment);
  return parts.map((part, n) => {
    const key = `${n}-${part.length}`;
    if (n % 2 === 1) return <Time key={key} at={part} />;
    return <Fragment key={key}>{n === 0 && !startsWithName ? part.charAt(0).toUpperCase() + part.slice(1) : part}</Fragment>;
  });
};
