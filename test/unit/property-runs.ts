import fc from "fast-check";

/** `PROPERTY_RUNS=5000 npm test` tries each property with that many values, where it does not say how many. */
fc.configureGlobal({ numRuns: Number(process.env.PROPERTY_RUNS ?? "100") });
