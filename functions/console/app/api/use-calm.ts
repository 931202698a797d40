import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** True once the page has what it asked for first; the rest loads then. */
export const useCalm = (): boolean => {
  const isFetching = useIsFetching() > 0;
  const [hasFetched, setFetched] = useState(false);
  const [isCalm, setCalm] = useState(false);
  useEffect(() => {
    if (isFetching) setFetched(true);
    else if (hasFetched) setCalm(true);
  }, [isFetching, hasFetched]);
  return isCalm;
};
