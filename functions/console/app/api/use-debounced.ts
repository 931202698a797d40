import { useEffect, useMemo, useState } from 'react';

const quietMs = 600;

/** The value once it has not changed for a moment, so that typing does not cost a call per letter. Values are plain data. */
export const useDebounced = <T>(value: T): T | undefined => {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), quietMs);
    return () => clearTimeout(timer);
  }, [text]);
  return useMemo(() => (settled === undefined ? undefined : JSON.parse(settled)), [settled]);
};
