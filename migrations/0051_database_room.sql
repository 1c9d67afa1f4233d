-- What a database that is nearly full needs: src/store/installation/room-notes.ts. Two rows, whatever the number of pages.

-- Room that is given up when the database refuses to grow, so that a pause and a deletion can still be noted. No row: it was given up.
CREATE TABLE room_reserve (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  room BLOB NOT NULL
) STRICT;
INSERT INTO room_reserve (id, room) VALUES (1, zeroblob(131072));

-- What the operator has been told of how full the database is. No row: nothing, so there was room.
CREATE TABLE room_alarm (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- room, filling or full.
  level TEXT NOT NULL,
  -- How often the operator was told.
  count INTEGER NOT NULL
) STRICT;
INSERT INTO room_alarm (id, level, count) VALUES (1, 'room', 0);
