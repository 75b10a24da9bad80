import { describe, expect, it } from 'vitest';
import { Late } from '../../src/entry/late.ts';
import { LateQuery } from '../../src/entry/late-query.ts';
import { LateSession } from '../../src/entry/late-session.ts';

describe('what is asked of something late', () => {
  it('is done in order, all in the moment in which it is there', async () => {
    let resolve: (loaded: number) => void = () => {};
    const promise = new Promise<number>((settle) => {
      resolve = settle;
    });
    const done: string[] = [];
    const late = Late.of(promise, (loaded) => {
      queueMicrotask(() => done.push('what its making set off'));
      return { loaded };
    });
    const first = late.ask(async ({ loaded }) => done.push(`first ${loaded}`));
    const part = late.part((it) => {
      done.push('part');
      return { of: it };
    });
    const asked = part.ask(async () => done.push('asked of the part'));
    expect(late.now).toBeUndefined();
    resolve(7);
    await Promise.all([first, asked]);
    expect(done).toEqual(['first 7', 'part', 'asked of the part', 'what its making set off']);
    expect(part.now?.of).toBe(late.now);
    expect(await late.ask(async ({ loaded }) => loaded)).toBe(7);
  });

  it('fails by itself when it throws at once; what was asked behind it is done', async () => {
    const wrong = new Error('wrong argument');
    const thrower = (): never => {
      throw wrong;
    };
    const late = Late.of(Promise.resolve(7), (loaded) => ({ loaded }));
    const asked = late.ask(thrower);
    const part = late.part<object>(thrower);
    const ofPart = part.ask(async () => 1);
    const behind = late.ask(async ({ loaded }) => loaded);
    const partBehind = late.part((it) => ({ of: it })).ask(async ({ of }) => of.loaded);
    await expect(asked).rejects.toBe(wrong);
    await expect(ofPart).rejects.toBe(wrong);
    expect(await Promise.all([behind, partBehind])).toEqual([7, 7]);
    await expect(part.ask(async () => 1)).rejects.toBe(wrong);
  });

  it('fails with what kept it from coming, before and after', async () => {
    const missing = new Error('Cannot find module engine.mjs');
    const late = Late.of<never, object>(Promise.reject(missing), () => ({}));
    const part = late.part((it) => it);
    await expect(part.ask(async () => 1)).rejects.toBe(missing);
    await expect(late.ask(async () => 1)).rejects.toBe(missing);
    await expect(late.part((it) => it).ask(async () => 1)).rejects.toBe(missing);
  });
});

describe('an engine that cannot be loaded', () => {
  const broken = <S extends object>(): Late<S> => Late.of<never, S>(Promise.reject(new Error('no engine')), (it) => it);

  it('[Q-1] fails a query by its promises, and its end is told as always', async () => {
    const stream = new LateQuery<string>(broken());
    await expect(stream.started).rejects.toThrow('no engine');
    await expect(stream.text()).rejects.toThrow('no engine');
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('no engine');
    expect((await stream.collect()).terminalError).toMatchObject({ message: 'no engine' });
    expect(await stream.closed).toEqual(await stream.close());
  });

  it('[S-1] fails a session and its turns', async () => {
    const session = new LateSession<string>('id', broken());
    await expect(session.ready).rejects.toThrow('no engine');
    await expect(session.send('hi').result()).rejects.toThrow('no engine');
    await expect(session.events().next()).rejects.toThrow('no engine');
    expect(await session.closed).toEqual(await session.stop());
  });
});
