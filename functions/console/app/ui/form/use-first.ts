import { useState } from 'react';

/** The first value that was there: what a person saw when a form opened. */
export const useFirst = <T>(value: T | undefined): T | undefined => {
  const [first, setFirst] = useState(value);
  if (first === undefined && value !== undefined) setFirst(value);
  return first;
};
