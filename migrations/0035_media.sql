-- What a sound, a film or a picture says about itself (src/media/sound-and-picture/media-facts.ts): JSON of some 400
-- bytes. A row is written when it settles anyway, so the column costs no write, and rows of anything else have NULL.
ALTER TABLE urls ADD COLUMN media TEXT;
