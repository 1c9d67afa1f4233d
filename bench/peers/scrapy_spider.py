"""A crawl by Scrapy that keeps what Orbweaver keeps: every body, a record of it, and its queue on disk.

Arguments: URLs with commas between them, a directory, and for a polite crawl the delay in seconds and the requests at
once."""

import json
import os
import sys
import time
from hashlib import sha1
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

urls = sys.argv[1].split(",")
directory = sys.argv[2]
polite = {}
if len(sys.argv) > 3:
    polite = {
        "DOWNLOAD_DELAY": float(sys.argv[3]),
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    }
if len(sys.argv) > 4:
    polite["CONCURRENT_REQUESTS"] = int(sys.argv[4])
pages = os.path.join(directory, "pages")
os.makedirs(pages)


class Site(Spider):
    name = "site"
    start_urls = urls
    links = LinkExtractor(allow_domains=[urlsplit(url).netloc for url in urls])
    # The seed is asked for again when a page links to it: Scrapy does not filter its start URLs.
    completed = set()

    def parse(self, response):
        if not hasattr(response, "text"):
            return
        with open(os.path.join(pages, sha1(response.url.encode()).hexdigest() + ".html"), "wb") as file:
            file.write(response.body)
        Site.completed.add(response.url)
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.links.extract_links(response):
            yield response.follow(link.url)


started = time.monotonic()
process = CrawlerProcess(
    {
        "JOBDIR": os.path.join(directory, "job"),
        "FEEDS": {os.path.join(directory, "records.jsonl"): {"format": "jsonlines"}},
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        **polite,
    }
)
process.crawl(Site)
process.start()
print(json.dumps({"completed": len(Site.completed), "seconds": time.monotonic() - started}))
