CREATE TEMP TABLE campaign_device (campaign INTEGER, target TEXT, crc INTEGER, json TEXT);
