import type { Reporter, TestModule } from 'vitest/node';

/** A vitest reporter that lists the tests which failed first and passed when they were repeated: each hides a race. */
export default class RepeatedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => repeatedIn(module));
    if (lines.length > 0) console.log(['Passed only when repeated:', ...lines, ''].join('\n'));
  }
}

function repeatedIn(module: TestModule): string[] {
  return [...module.children.allTests()]
    .filter((test) => test.diagnostic()?.flaky)
    .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`);
}
