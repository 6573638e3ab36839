# SPDX-License-Identifier: GPL-2.0-only
"""Usage: pcap-sums.py FILE...: have scapy compute the ICRC and the IP checksum of all RoCEv2 frames."""
import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP
from scapy.utils import PcapReader

checked = wrong = 0
for name in sys.argv[1:]:
    with PcapReader(name) as reader:
        for number, frame in enumerate(reader, 1):
            if BTH not in frame:
                continue
            ip = IP(bytes(frame[IP]))
            found = bytes(frame[IP])[-4:]
            icrc = frame[BTH].compute_icrc(None)
            del ip.chksum
            checksum = IP(bytes(ip)).chksum
            checked += 1
            if icrc != found or checksum != frame[IP].chksum:
                wrong += 1
                print(f"{name} frame {number}: ICRC {found.hex()}, expected {icrc.hex()}; "
                      f"checksum {frame[IP].chksum:04x}, expected {checksum:04x}")
print(f"{checked} frames, {wrong} with wrong sums")
sys.exit(checked == 0 or wrong > 0)
