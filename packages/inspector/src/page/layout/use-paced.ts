import { useEffect, useRef } from 'preact/hooks';
import { attempt } from './toasts.tsx';

/** Fetches at first and whenever one of the marks has changed, at most once per pause. */
export function usePaced(pauseMs: number, fetch: () => Promise<unknown>, marks: readonly unknown[]): void {
  const fetchedAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, fetchedAt.current + pauseMs - Date.now());
    const timer = setTimeout(() => {
      fetchedAt.current = Date.now();
      void attempt(fetch);
    }, wait);
    return () => clearTimeout(timer);
  }, marks);
}
