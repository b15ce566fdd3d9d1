"""Prints an archive of OTF2 as lists, and fails where it contradicts itself."""
import collections, json, otf2, sys
from otf2.events import *
from otf2.enums import GroupType, Paradigm

with otf2.reader.open(sys.argv[1]) as trace:
    of_all = next(group for group in trace.definitions.groups if group.group_type == GroupType.COMM_LOCATIONS)
    places = [location.group for location in of_all.members]
    assert len(set(places)) == len(places) == len(trace.definitions.location_groups)

    def members(group, own):
        if group.group_type == GroupType.COMM_SELF:
            return [own]
        return [places[member] if isinstance(member, int) else member.group for member in group.members]

    def partner(communicator, own, number):
        if not isinstance(communicator, otf2.definitions.InterComm):
            return members(communicator.group, own)[number]
        one, other = [members(group, own) for group in (communicator.group_a, communicator.group_b)]
        return (other if own in one else one)[number]

    def functions(context):
        above = functions(context.parent) if context.parent else []
        place = context.source_code_location
        return above + [[context.region.name, f"{place.file}:{place.line_number}" if place else ""]]

    clock = trace.definitions.clock_properties
    assert clock.timer_resolution == 1e9 and clock.global_offset == 0
    calls, regions, collectives, messages, samples, cancelled = [], [], [], [], [], 0
    stacks, last = collections.defaultdict(list), collections.defaultdict(int)
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    pending, begun = {}, collections.Counter()
    for location, event in trace.events:
        at, own, stack = event.time, location.group, stacks[location]
        assert last[location] <= at <= clock.trace_length
        last[location] = at
        inside = stack[-1][0].name if stack else None
        if isinstance(event, Enter):
            stack.append((event.region, at, {attribute.name: value for attribute, value in event.attributes.items()} if event.attributes else {}))
        elif isinstance(event, Leave):
            region, begin, attributes = stack.pop()
            assert region == event.region
            one = {"process": own.name, "thread": location.name, "name": region.name, "begin": begin, "end": at, "role": str(region.region_role).split(".")[-1]}
            path = attributes.pop("path", None)
            if path is not None:
                one["path"] = functions(path)
            site = attributes.pop("call_site", None)
            if site is not None:
                one["file"], one["line"] = site.file, site.line_number
            (calls if region.paradigm == Paradigm.MPI else regions).append({**one, **attributes})
        elif isinstance(event, CallingContextSample):
            assert inside is None or stack[-1][0].paradigm != Paradigm.MPI
            generator = event.interrupt_generator
            samples.append({"process": own.name, "at": at, "path": functions(event.calling_context), "period": generator.period})
        elif isinstance(event, (MpiSend, MpiIsend)):
            to = partner(event.communicator, own, event.receiver)
            sent[event.communicator.name, own.name, to.name, event.msg_tag].append((at, event.msg_length, inside))
            if isinstance(event, MpiIsend):
                pending[own, event.request_id] = "send"
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            source = partner(event.communicator, own, event.sender)
            received[event.communicator.name, source.name, own.name, event.msg_tag].append((at, event.msg_length, inside))
            if isinstance(event, MpiIrecv):
                assert pending.pop((own, event.request_id)) == "receive"
        elif isinstance(event, MpiIsendComplete):
            assert pending.pop((own, event.request_id)) == "send"
        elif isinstance(event, MpiIrecvRequest):
            pending[own, event.request_id] = "receive"
        elif isinstance(event, MpiRequestCancelled):
            assert pending.pop((own, event.request_id)) == "receive"
            cancelled += 1
        elif isinstance(event, MpiCollectiveBegin):
            begun[location] += 1
        elif isinstance(event, NonBlockingCollectiveRequest):
            pending[own, event.request_id] = "collective"
        else:
            assert isinstance(event, (MpiCollectiveEnd, NonBlockingCollectiveComplete)), event
            if isinstance(event, MpiCollectiveEnd):
                begun[location] -= 1
                assert begun[location] == 0
            else:
                assert pending.pop((own, event.request_id)) == "collective"
            collectives.append({"process": own.name, "operation": str(event.collective_op).split(".")[-1], "communicator": event.communicator.name,
                "root": event.root, "sent": event.size_sent, "received": event.size_received, "end": at, "in": inside})
    assert not any(stacks.values()) and not any(begun.values())
    for key, ends in received.items():
        for (end, bytes, by), (begin, given, through) in zip(ends, sent[key]):
            messages.append({"communicator": key[0], "from": key[1], "to": key[2], "tag": key[3], "sent_bytes": given,
                "received_bytes": bytes, "begin": begin, "end": end, "sent_by": through, "received_by": by})
    unmatched = sum(len(sent[key]) for key in sent) - len(messages), sum(len(received[key]) for key in received) - len(messages)
    print(json.dumps({"calls": calls, "regions": regions, "collectives": collectives, "messages": messages, "samples": samples, "cancelled": cancelled,
        "unmatched_sends": unmatched[0], "unmatched_receives": unmatched[1], "pending": list(pending.values()),
        "processes": [place.name for place in places], "nodes": [node.name for node in trace.definitions.system_tree_nodes],
        "communicators": [one.name for one in trace.definitions.comms], "intercommunicators": [one.name for one in trace.definitions.inter_comms]}))
