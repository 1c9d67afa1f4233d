-- Records of visits without a change in a pack, so that a watch says how many `--keep` has removed. The row is written
-- anyway. Packs of earlier versions have 0.
ALTER TABLE packs ADD COLUMN visits INTEGER NOT NULL DEFAULT 0;
