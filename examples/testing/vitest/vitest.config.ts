import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { setupFiles: ['./matchers.ts'] } });
