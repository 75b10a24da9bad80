import type { ComponentChild, ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ScrollRegion } from '../layout/scroll-region.tsx';

/** The part of a card between its head and its buttons. It scrolls if it is too long, and fades where it is cut. */
export function CardBody({ children }: { readonly children: ComponentChildren }): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const look = (): void => {
    const { current } = box;
    if (current === null) return;
    const below = current.scrollHeight - current.scrollTop - current.clientHeight;
    current.dataset.more = String(below > CUT_PX);
  };
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(look);
    for (const { current } of [box, content]) if (current !== null) sizes.observe(current);
    return () => sizes.disconnect();
  }, []);
  return (
    <ScrollRegion box={box} name="card-body" label="Request" onScroll={look}>
      <div ref={content} class="card-content">
        {children}
      </div>
    </ScrollRegion>
  );
}

/** Less than this is the space below the last line. */
const CUT_PX = 8;
