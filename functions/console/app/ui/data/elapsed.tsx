import { useEffect, useState } from 'react';
import { formatDuration } from '../../format/format-time.ts';

/** How long ago something began, counted every second. */
export const Elapsed = ({ since }: { readonly since: string }) => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  return <span className="number nowrap">{seconds === 0 ? '0 s' : formatDuration(seconds * 1_000)}</span>;
};
