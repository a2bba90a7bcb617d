-- Devices that an unfinished campaign began on, by which it knows them again.
CREATE TABLE campaign_device (
    campaign INTEGER NOT NULL REFERENCES campaign (seq),
    target   TEXT    NOT NULL,      -- as the user named it
    crc      INTEGER NOT NULL,
    json     TEXT    NOT NULL,
    PRIMARY KEY (campaign, target)
) STRICT;
